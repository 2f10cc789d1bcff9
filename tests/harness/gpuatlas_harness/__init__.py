"""Real servers for the integration tests: kube-apiserver with etcd, and Prometheus.

A conftest makes the fixtures of ``gpuatlas_harness.fixtures`` known with ``register``.
"""

from __future__ import annotations

import pytest

FIXTURES = "gpuatlas_harness.fixtures"


def register(config: pytest.Config) -> None:
    """Make the fixtures known once, however many conftests ask for it.

    A fixture imported by name into two conftests would be two session fixtures, hence two
    clusters; and ``pytest_plugins`` is only allowed in the top-most conftest.
    """
    config.pluginmanager.import_plugin(FIXTURES)
