#!/bin/sh
# Installs the Debian packages that the integration tests use, or says what is skipped without them.
set -eu

need() { # need COMMAND PACKAGE WHAT-IS-SKIPPED
  if command -v "$1" >/dev/null 2>&1; then
    return
  fi
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
    echo "setup: installing the Debian package $2"
    log=$(mktemp)
    if apt-get update -qq >"$log" 2>&1 &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >>"$log" 2>&1
    then
      rm -f "$log"
      return
    fi
    tail -n 5 "$log"
    rm -f "$log"
  fi
  echo "setup: $1 is missing and cannot be installed here (package $2): $3"
  if [ "${CI:-}" = true ]; then
    exit 1
  fi
}

need promtool prometheus "the tests with a real Prometheus are skipped"
need prometheus-alertmanager prometheus-alertmanager "the end-to-end test of the checks is skipped"
need node nodejs "the boards are not held against Grafana's own types"
need npm npm "the boards are not held against Grafana's own types"
need curl curl "the README's curl line cannot be tried"
