"""The DCGM fields that we read: one row each, with every name under which they are exported.

The exported name is whatever the exporter's CSV says, so a field has its name of DCGM 4.5 and
before, by which the model knows it, and the one that DCGM 4.6 gave it (facts/dcgm.md 1.4 and trap
17). Only fields that mean something at one instant are here. Windowed and labelled metrics of the
exporter's own (`DCGM_EXP_*`) and counters that only a rate makes sense of are left to PromQL, which
reads the raw series.

To read another field: a row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.sources.dcgm import bounds
from gpuatlas.sources.dcgm.bounds import Bound, enum

_PREFIX: Final = "DCGM_FI_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field. `name` is its model name: pre-4.6, without `DCGM_FI_`.

    `spellings` are its metric names, the preferred one first. `of_instance`: under MIG each
    instance has its own value; other fields are answered from the card and repeated on each.
    `zero_is_absent`: 0 stands for "there is no sensor". `ambiguous` are spellings whose unit
    depends on the DCGM version.
    """

    name: str
    spellings: tuple[str, ...]
    bound: Bound
    of_instance: bool = False
    zero_is_absent: bool = False
    ambiguous: frozenset[str] = frozenset()

    def reading(self, value: float, spelling: str) -> float | None:
        """The value in the field's unit, or None where it is none that could have been measured."""
        # DCGM 4.6 renamed the percent field GPU_UTIL_RATIO; from 4.7 that name is also said to be a
        # real ratio. 0 is the same in both and more than 1 can only be percent. What lies between
        # could be hundredfold wrong.
        if spelling in self.ambiguous and 0 < value <= 1:
            return None
        return self.bound.reading(value)


def _field(
    name: str, bound: Bound, *aliases: str, zero_is_absent: bool = False, ambiguous: bool = False
) -> Field:
    aliases = tuple(_PREFIX + alias for alias in aliases)
    return Field(
        name=name,
        spellings=(_PREFIX + name, *aliases),
        bound=bound,
        # The link is the card's.
        of_instance=name.startswith(("PROF_", "DEV_FB_")) and "PCIE" not in name,
        zero_is_absent=zero_is_absent,
        ambiguous=frozenset(aliases if ambiguous else ()),
    )


_UTILISATION: Final = (
    _field("DEV_GPU_UTIL", bounds.PERCENT, "DEV_GPU_UTIL_RATIO", ambiguous=True),
    _field("DEV_MEM_COPY_UTIL", bounds.PERCENT),
    _field("DEV_ENC_UTIL", bounds.PERCENT),
    _field("DEV_DEC_UTIL", bounds.PERCENT),
    _field("PROF_GR_ENGINE_ACTIVE", bounds.RATIO, "PROF_GR_ENGINE_UTIL_RATIO"),
    _field("PROF_SM_ACTIVE", bounds.RATIO, "PROF_SM_UTIL_RATIO"),
    _field("PROF_SM_OCCUPANCY", bounds.RATIO, "PROF_SM_OCCUPANCY_RATIO"),
    _field("PROF_PIPE_TENSOR_ACTIVE", bounds.RATIO, "PROF_TENSOR_UTIL_RATIO"),
    _field("PROF_DRAM_ACTIVE", bounds.RATIO, "PROF_DRAM_UTIL_RATIO"),
)

_MEMORY: Final = (
    _field("DEV_FB_TOTAL", bounds.MEMORY_MIB),
    _field("DEV_FB_FREE", bounds.MEMORY_MIB),
    _field("DEV_FB_USED", bounds.MEMORY_MIB),
    _field("DEV_FB_RESERVED", bounds.MEMORY_MIB),
)

_HEAT_AND_POWER: Final = (
    _field("DEV_GPU_TEMP", bounds.CELSIUS, "DEV_GPU_TEMP_CELSIUS"),
    _field("DEV_MEMORY_TEMP", bounds.CELSIUS, "DEV_MEMORY_TEMP_CELSIUS", zero_is_absent=True),
    _field("DEV_GPU_TEMP_LIMIT", bounds.MARGIN_CELSIUS, "DEV_GPU_TEMP_MARGIN_CELSIUS"),
    _field(
        "DEV_SLOWDOWN_TEMP", bounds.CELSIUS, "DEV_GPU_TEMP_SLOWDOWN_CELSIUS", zero_is_absent=True
    ),
    _field(
        "DEV_SHUTDOWN_TEMP", bounds.CELSIUS, "DEV_GPU_TEMP_SHUTDOWN_CELSIUS", zero_is_absent=True
    ),
    # 0 on Hopper, where the margin replaces it (facts/dcgm.md 5).
    _field(
        "DEV_GPU_MAX_OP_TEMP", bounds.CELSIUS, "DEV_GPU_MAX_OP_TEMP_CELSIUS", zero_is_absent=True
    ),
    _field(
        "DEV_MEM_MAX_OP_TEMP", bounds.CELSIUS, "DEV_MEMORY_MAX_OP_TEMP_CELSIUS", zero_is_absent=True
    ),
    _field("DEV_POWER_USAGE", bounds.WATTS, "DEV_BOARD_POWER_WATTS"),
    _field("DEV_ENFORCED_POWER_LIMIT", bounds.WATTS, "DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS"),
    _field("DEV_POWER_MGMT_LIMIT", bounds.WATTS, "DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS"),
    _field("DEV_POWER_MGMT_LIMIT_DEF", bounds.WATTS, "DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS"),
    _field("DEV_POWER_MGMT_LIMIT_MIN", bounds.WATTS, "DEV_BOARD_POWER_LIMIT_MIN_WATTS"),
    _field("DEV_TOTAL_ENERGY_CONSUMPTION", bounds.ENERGY_MILLIJOULES),
)

_CLOCKS: Final = (
    _field("DEV_SM_CLOCK", bounds.MEGAHERTZ),
    _field("DEV_MEM_CLOCK", bounds.MEGAHERTZ),
    _field("DEV_MAX_SM_CLOCK", bounds.MEGAHERTZ),
    _field("DEV_MAX_MEM_CLOCK", bounds.MEGAHERTZ),
    _field("DEV_CLOCKS_EVENT_REASONS", bounds.CLOCK_REASONS, "DEV_CLOCK_THROTTLE_REASONS"),
    _field("DEV_PSTATE", enum(15), "DEV_GPU_PSTATE"),
)

_FAULTS: Final = (
    _field("DEV_XID_ERRORS", bounds.XID, "DEV_XID_ERROR"),
    _field("DEV_ECC_SBE_VOL_TOTAL", bounds.COUNT),
    _field("DEV_ECC_DBE_VOL_TOTAL", bounds.COUNT),
    _field("DEV_ECC_SBE_AGG_TOTAL", bounds.COUNT),
    _field("DEV_ECC_DBE_AGG_TOTAL", bounds.COUNT),
    _field("DEV_THRESHOLD_SRM", bounds.FLAG, "DEV_SRAM_EXCEEDED"),
    _field("DEV_RETIRED_SBE", bounds.COUNT, "DEV_PAGE_RETIRED_SBE_TOTAL"),
    _field("DEV_RETIRED_DBE", bounds.COUNT, "DEV_PAGE_RETIRED_DBE_TOTAL"),
    _field("DEV_RETIRED_PENDING", bounds.COUNT, "DEV_PAGE_RETIRED_PENDING"),
    _field("DEV_UNCORRECTABLE_REMAPPED_ROWS", bounds.COUNT, "DEV_ROW_REMAP_UNCORRECTABLE_TOTAL"),
    _field("DEV_CORRECTABLE_REMAPPED_ROWS", bounds.COUNT, "DEV_ROW_REMAP_CORRECTABLE_TOTAL"),
    _field("DEV_ROW_REMAP_FAILURE", bounds.FLAG, "DEV_ROW_REMAP_FAILED"),
    _field("DEV_ROW_REMAP_PENDING", bounds.FLAG),
    _field("DEV_BANKS_REMAP_ROWS_AVAIL_NONE", bounds.COUNT, "DEV_BANK_REMAP_AVAIL_NONE"),
    _field("DEV_MEMORY_UNREPAIRABLE_FLAG", bounds.FLAG, "DEV_MEMORY_UNREPAIRABLE"),
    # 0 none … 7 system reboot (facts/dcgm.md 1.4).
    _field("DEV_GET_GPU_RECOVERY_ACTION", enum(7), "DEV_GPU_RECOVERY_ACTION"),
)

_LINKS: Final = (
    _field("DEV_PCIE_LINK_GEN", bounds.PCIE_GENERATION),
    _field("DEV_PCIE_LINK_WIDTH", bounds.PCIE_LANES),
    _field("DEV_PCIE_MAX_LINK_GEN", bounds.PCIE_GENERATION),
    _field("DEV_PCIE_MAX_LINK_WIDTH", bounds.PCIE_LANES),
    # Rates, whatever type an exporter declares (facts/dcgm.md, trap 13).
    _field("PROF_PCIE_TX_BYTES", bounds.PCIE_BYTES_A_SECOND),
    _field("PROF_PCIE_RX_BYTES", bounds.PCIE_BYTES_A_SECOND),
    _field("DEV_PCIE_REPLAY_COUNTER", bounds.COUNT, "DEV_PCIE_REPLAY_TOTAL"),
    _field("DEV_FABRIC_MANAGER_STATUS", enum(6)),
    _field("DEV_FABRIC_HEALTH_MASK", bounds.FABRIC_HEALTH_BITS),
)

_MODES: Final = (
    _field("DEV_MIG_MODE", bounds.FLAG),
    _field("DEV_VGPU_LICENSE_STATUS", bounds.FLAG),
)

FIELDS: Final = (*_UTILISATION, *_MEMORY, *_HEAT_AND_POWER, *_CLOCKS, *_FAULTS, *_LINKS, *_MODES)

FIELD_OF_METRIC: Final[Mapping[str, Field]] = {
    spelling: field for field in FIELDS for spelling in field.spellings
}

DCGM_NAMES: Final = frozenset(FIELD_OF_METRIC)
