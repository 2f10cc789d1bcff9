"""Sentences that queries give as values, in English; the boards translate them.

Grafana 12 makes a row of a table as high as the value itself needs: the text of a short key would
be cut.
"""

from __future__ import annotations

from typing import Final

# Whom a finding hits where nobody can name the pods.
NEW_PODS: Final = "every new pod that asks for a shared card"
ALL_TENANTS: Final = "every tenant of the cluster"

# How to get an input that is not our exporter's to send, by a pattern of its name.
WAYS: Final = {
    "DCGM_.*": "Take its line from alerts/dcgm-counters.csv into the list of dcgm-exporter",
    "dcgm-exporter": "Install dcgm-exporter and let Prometheus scrape it",
    "gpuatlas exporter": "Install gpuatlas and let Prometheus scrape it",
}
FOREIGN: Final = "|".join(WAYS)
