"""How a claim's devices are shared, from the opaque configuration of the claim and its class. Pure.

The last configuration that fits a device stands, and the claim's come after the class's (NVIDIA's
driver, facts/k8s.md 1.11). One without requests is for all devices of its kind: `GpuConfig` for
whole cards, `MigDeviceConfig` for parts, which only the device's name tells here. What the driver
does by default is written nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.sources.dra.drivers import Driver
from gpuatlas.sources.dra.records import MAX_CONFIGS, MAX_REQUESTS
from gpuatlas.sources.kubernetes.shape import fields, items, text

FROM_CLASS: Final = "FromClass"
_WORDS: Final[Mapping[str, str]] = {"TimeSlicing": "time-slicing", "MPS": "mps"}


@dataclass(frozen=True, slots=True)
class _Config:
    driver: str
    requests: tuple[str, ...]  # none: all devices of the configuration's kind
    kind: str
    strategy: str

    def fits(self, driver: Driver, request: str, device: str) -> bool:
        if self.driver != driver.name or self.kind not in driver.sharing_configs:
            return False
        if self.requests:
            main = request.partition("/")[0]
            return request in self.requests or main in self.requests
        return driver.sharing_configs[self.kind] == (driver.part_mark in device)


def strategies(value: object) -> Callable[[Driver, str, str], str]:
    """A function of (driver, request, device) that says the strategy, or "" for none.

    `value` is `status.allocation.devices.config`.
    """
    raws = [fields(item) for item in items(value)[:MAX_CONFIGS]]
    raws.sort(key=lambda raw: raw.get("source") != FROM_CLASS)
    configs = [_read_config(raw) for raw in raws]

    def strategy(driver: Driver, request: str, device: str) -> str:
        fitting = (c.strategy for c in reversed(configs) if c.fits(driver, request, device))
        return next(fitting, "")

    return strategy


def _read_config(raw: Mapping[str, object]) -> _Config:
    opaque = fields(raw.get("opaque"))
    parameters = fields(opaque.get("parameters"))
    strategy = text(fields(parameters.get("sharing")).get("strategy"))
    return _Config(
        driver=text(opaque.get("driver")),
        requests=tuple(text(name) for name in items(raw.get("requests"))[:MAX_REQUESTS]),
        kind=text(parameters.get("kind")),
        strategy=_WORDS.get(strategy, ""),
    )
