"""JSON schemas of Grafana's dashboards, made of the TypeScript types that each release publishes.

Grafana publishes no JSON schema. `tests/grafana` pins its types and the generator; what they make
lies in `.cache/grafana`, so that node and npm run once for each change of the pins.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jsonschema

from .alert_rules import ROOT
from .binaries import required, skip_or_fail, system_binary

Json = dict[str, Any]

MAKER: Final = ROOT / "tests" / "grafana"
_FILES: Final = (".npmrc", "package.json", "package-lock.json", "schemas.mjs")
_MADE: Final = "schemas.json"
_INSTALL_SECONDS: Final = 300
_MAKE_SECONDS: Final = 300


def grafana_schemas() -> dict[str, Json]:
    """By Grafana's major version: the dashboard, and of each panel its options and custom fields.

    The test is skipped, or fails in CI, where node or npm is missing or the packages cannot be had.
    """
    cache = Path(os.environ.get("GPUATLAS_CACHE") or ROOT / ".cache") / "grafana"
    made = cache / f"{_pins()}.json"
    if not made.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        _make(made)
    content: dict[str, Json] = json.loads(made.read_text(encoding="utf-8"))
    return content


def _pins() -> str:
    """Sixteen hex digits of everything that decides what the schemas are."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update((MAKER / name).read_bytes())
    return digest.hexdigest()[:16]


def _make(made: Path) -> None:
    node = str(required(lambda: system_binary("node", package="nodejs")))
    npm = str(required(lambda: system_binary("npm", package="npm")))
    with tempfile.TemporaryDirectory(dir=made.parent) as name:
        folder = Path(name)
        for file in _FILES:
            shutil.copy(MAKER / file, folder)
        # No package's own script runs, so that a package can do nothing but be read.
        install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        answer = _run(install, folder, _INSTALL_SECONDS)
        if answer.returncode:
            skip_or_fail(f"npm cannot install tests/grafana: {answer.stderr.strip()[-400:]}")
        answer = _run([node, "schemas.mjs"], folder, _MAKE_SECONDS)
        if answer.returncode:
            message = f"tests/grafana/schemas.mjs: {answer.stderr}"
            raise AssertionError(message)
        # Whole or not at all: two tests that come together both write the same.
        (folder / _MADE).replace(made)


def _run(command: Sequence[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds
    )


def partial(schema: Json) -> Json:
    """The same, with nothing required at the top: what is left out Grafana fills in."""
    name = schema["$ref"].rpartition("/")[2]
    definitions = schema["definitions"]
    whole = {key: value for key, value in definitions[name].items() if key != "required"}
    return {**schema, "definitions": {**definitions, name: whole}}


def part(schema: Json, name: str) -> Json:
    """The schema of one of its definitions."""
    return {**schema, "$ref": f"#/definitions/{name}"}


def schema_faults(schema: Json, value: Any) -> Iterator[str]:
    """Where a value is not as the schema has it, each place once; of alternatives the closest."""
    for error in jsonschema.Draft7Validator(schema).iter_errors(value):
        closest = jsonschema.exceptions.best_match([error]) or error
        path = "/".join(str(place) for place in closest.absolute_path)
        yield f"{path or '(top)'}: {closest.message[:200]}"
