# Every verb works on a clean clone: what it needs it installs first, and says so.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: golden chart image sbom help demo test lint types servers packages docs bench build lock clean

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
# How many tests run side by side: two, since much of a test is waiting for a server. A file's tests
# stay together, as they share servers, and files keep their order: sorted by their number of tests,
# the longest would come last. WORKERS=0 runs one after the other, as plain pytest does.
WORKERS := 2
# The demo runs from the source tree, so that it needs no build step.
RUN := PYTHONPATH=exporter $(PY) -m gpuatlas

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## Simulated cluster, real exporter: prints the cards, serves until Ctrl-C
	@$(RUN) demo $(ARGS)

test: $(VENV)/.dev packages servers lint types ## Everything: lint, types, unit and integration tests
	@$(VENV)/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/.dev ## Style, import directions, generated documents
	@echo "== ruff"; $(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check .
	@echo "== import directions"; $(VENV)/bin/lint-imports --no-cache
	@echo "== generated documents"; $(PY) -m gpuatlas.families docs/metrics.md --check
	@echo "== dashboards"; PYTHONPATH=dashboards $(PY) -m gpuatlas_dashboards --check

types: $(VENV)/.dev ## mypy, strict
	@echo "== mypy"; $(VENV)/bin/mypy

packages: ## Debian packages that the tests use, where apt-get may install them
	@tests/servers/packages.sh

servers: $(VENV)/.dev ## Build kube-apiserver, etcd, Prometheus and Helm for the integration tests (needs Go)
	@$(PY) tests/servers/build.py || { code=$$?; \
	  if [ $$code -eq 3 ] && [ "$$CI" != true ]; then \
	    echo "servers: the tests against a real API server are skipped"; else exit $$code; fi; }

docs: $(VENV)/.dev ## Write the generated documents
	@$(PY) -m gpuatlas.families docs/metrics.md
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.support
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.xid_text
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.runbook_headers
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.checks_document
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.three_configurations
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.chart_rights
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.chart_names
	@PYTHONPATH=dashboards $(PY) -m gpuatlas_dashboards

golden: $(VENV)/.dev ## Write the expected pages and notifications again; read the diff
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.captured
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.notified
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.checks_screens
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.doctored
	@PYTHONPATH=tests/harness $(PY) -m gpuatlas_harness.sizing_screens

bench: $(VENV)/.dev packages ## Speed and memory: the exporter on 8,000 cards, the rules on 16,000
	@$(PY) tests/bench/exporter.py $(ARGS)
	@echo; PYTHONPATH=tests/harness $(PY) tests/bench/sizing.py
	@echo; PYTHONPATH=exporter:tests/harness $(PY) tests/bench/contention.py
	@echo; PYTHONPATH=tests/harness $(PY) tests/bench/rules.py
	@echo; PYTHONPATH=tests/harness $(PY) tests/bench/boards.py

build: $(VENV)/.dev ## The wheel, in dist/
	@$(PY) -m hatchling build -t wheel

chart: $(VENV)/.dev ## The Helm chart as an archive, in dist/
	@PYTHON=$(PY) helm/package.sh dist

image: ## The container image, by the docker, podman or buildah on PATH
	@deploy/image/image.sh

sbom: ## Bill of materials (CycloneDX) of what the image holds, in dist/
	@rm -rf dist/image && deploy/image/build.sh "$(CURDIR)/dist/image" && mv dist/image/gpuatlas.cdx.json dist/ && rm -rf dist/image

lock: ## Pin the dependencies again (needs uv)
	uv pip compile pyproject.toml --generate-hashes --no-header --no-emit-index-url \
	  --python-version 3.11 --universal -q -o requirements/runtime.txt
	uv pip compile pyproject.toml --group dev --generate-hashes --no-header --no-emit-index-url \
	  --python-version 3.11 --universal -q -o requirements/dev.txt
	uv pip compile --group image --generate-hashes --no-header --no-emit-index-url \
	  --python-version 3.11 --universal -q -o requirements/image.txt

clean: ## Remove the virtual environment and the build folders (the servers' cache stays)
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(PY):
	@command -v python3 >/dev/null || { echo "setup: Python 3.11 or newer is needed (python3)"; exit 2; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "setup: Python 3.11 or newer is needed, python3 is $$(python3 -V)"; exit 2; }
	@echo "setup: creating $(VENV)"
	@python3 -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt | $(PY)
	@echo "setup: installing $$(grep -c == $<) pinned packages from $<"
	@$(PIP) install -q --require-hashes -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(PY)
	@echo "setup: installing $$(grep -c == $<) pinned packages from $<, and gpuatlas itself"
	@$(PIP) install -q --require-hashes -r $<
	@$(PIP) install -q --no-build-isolation --no-deps -e .
	@touch $@ $(VENV)/.runtime
