#!/bin/sh
# What the image holds, into the folder given: a virtual environment with the wheel that `make build`
# makes, the pinned packages of requirements/runtime.txt, and a bill of materials of both.
# The Containerfile runs it, and so do `make sbom` and the tests: without a container.
#
# Twice the same bytes: nothing is taken that is not pinned by its hash, no file has a time of its own,
# and compiled files are told apart by their source and not by its age.
set -eu
target=${1:?the folder to make, such as /opt/gpuatlas}
: "${SOURCE_DATE_EPOCH:=315532800}" # 1980, the first year that a zip file knows
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip() { "$work/tools/bin/python" -m pip --quiet --disable-pip-version-check --no-input "$@"; }

# Tools that build, in a folder that goes away.
python3 -m venv "$work/tools"
pip install --no-compile --only-binary :all: --require-hashes --requirement requirements/image.txt
"$work/tools/bin/python" -m hatchling build -t wheel -d "$work/wheel" >&2

# Only wheels: a compiler is neither there nor needed, on amd64 and on arm64.
python3 -m venv --without-pip "$target"
into() { pip --python "$target/bin/python" install --no-compile --no-cache-dir "$@"; }
into --only-binary :all: --require-hashes --requirement requirements/runtime.txt
into --no-deps --no-index "$work"/wheel/*.whl
# pip notes the temporary folder that the wheel came from.
for note in "$target"/lib/python3.*/site-packages/gpuatlas-*.dist-info; do
  rm -f "$note/direct_url.json"
  sed -i '/direct_url\.json/d' "$note/RECORD"
done
# A second client, which nothing of ours imports: a third of all.
rm -rf "$target"/lib/python3.*/site-packages/kubernetes/aio

# The bill wants the version where pyproject.toml says that it stands elsewhere.
version=$("$target/bin/python" -c 'import gpuatlas; print(gpuatlas.__version__)')
sed "s/^dynamic = .*/version = \"$version\"/" pyproject.toml >"$work/pyproject.toml"
"$work/tools/bin/cyclonedx-py" environment "$target/bin/python" --pyproject "$work/pyproject.toml" \
  --output-reproducible --output-file "$target/gpuatlas.cdx.json"

# The image's file system is read-only, so what is not compiled here is compiled at every start.
"$target/bin/python" -m compileall -q --invalidation-mode unchecked-hash "$target/lib"
find "$target" -name 'activate*' -delete -o -name 'Activate*' -delete
find "$target" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
