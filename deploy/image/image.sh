#!/bin/sh
# The image gpuatlas:<version> by the docker, podman or buildah on PATH, with version, commit and the
# time of the commit. `make image IMAGE=registry.example/gpu/gpuatlas` gives it another name.
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' exporter/gpuatlas/__init__.py)
revision=$(git rev-parse HEAD 2>/dev/null || true)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
for tool in docker podman buildah; do
  if command -v "$tool" >/dev/null 2>&1; then
    exec "$tool" build --file Containerfile --tag "${IMAGE:-gpuatlas}:$version" \
      --build-arg VERSION="$version" --build-arg REVISION="$revision" \
      --build-arg SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" .
  fi
done
echo "image: neither docker nor podman nor buildah is on PATH" >&2
exit 1
