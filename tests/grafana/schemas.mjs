// Writes JSON schemas of Grafana's own TypeScript types: node schemas.mjs, beside node_modules.
//
// schemas.json becomes {"11": {"dashboard": …, "panels": {"stat": {"options": …, "custom": …}}}}.
// `custom` is what a panel may have in fieldConfig.defaults.custom; not every panel has it.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGenerator } from "ts-json-schema-generator";

const GRAFANAS = ["11", "12", "13"];
// Those that the boards use; in the folders of the types they have no dash.
const PANELS = ["barchart", "bargauge", "stat", "state-timeline", "table", "text", "timeseries"];

const typesOf = (grafana) => {
  const dist = join("node_modules", `grafana-${grafana}`, "dist");
  // Releases of 11 have them beside the modules.
  return [join(dist, "types"), join(dist, "esm")].find((folder) =>
    existsSync(join(folder, "common", "common.gen.d.ts")),
  );
};

const declarationsIn = (folder) =>
  join(folder, readdirSync(folder).find((name) => name.endsWith(".d.ts")));

// The types import their own package by name: an alias has another one.
const compilerSettings = (grafana, types) => {
  const path = `tsconfig-${grafana}.json`;
  const paths = { "@grafana/schema": [join(types, "common", "common.gen.d.ts")] };
  const compilerOptions = {
    target: "es2022", module: "esnext", moduleResolution: "bundler",
    strict: true, skipLibCheck: true, baseUrl: ".", paths,
  };
  writeFileSync(path, JSON.stringify({ compilerOptions, files: [] }));
  return path;
};

const schemasOf = (grafana) => {
  const types = typesOf(grafana);
  const tsconfig = compilerSettings(grafana, types);
  const schema = (path, type) =>
    createGenerator({ path, tsconfig, type, skipTypeCheck: true }).createSchema(type);
  const panels = {};
  for (const panel of PANELS) {
    const folder = panel.replace("-", "");
    const path = declarationsIn(join(types, "raw", "composable", folder, "panelcfg", "x"));
    const hasCustom = readFileSync(path, "utf8").includes("interface FieldConfig ");
    panels[panel] = {
      options: schema(path, "Options"),
      ...(hasCustom ? { custom: schema(path, "FieldConfig") } : {}),
    };
  }
  return { dashboard: schema(declarationsIn(join(types, "raw", "dashboard", "x")), "Dashboard"), panels };
};

const schemas = Object.fromEntries(GRAFANAS.map((grafana) => [grafana, schemasOf(grafana)]));
writeFileSync("schemas.json", JSON.stringify(schemas));
