"""Grafana dashboards as code: what `dashboards/generated/*.json` is written from.

It knows recording rules and metric names as data, never the exporter's code, and is not part of the
wheel. `README.md` beside this package says how to add a board, a signal and a text.
"""
