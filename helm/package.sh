#!/bin/sh
# The chart as an archive, in the folder given (dist). By the helm on PATH, else by one that Go builds.
# The links below files/ become files in it.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
if ! helm=$(command -v helm); then
  echo "chart: no helm on PATH, building one" >&2
  "$python" tests/servers/build.py helm4 >&2
  helm=$("$python" tests/servers/build.py --find helm4)
fi
exec "$helm" package helm/gpuatlas --destination "${1:-dist}"
