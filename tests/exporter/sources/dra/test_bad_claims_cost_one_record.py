from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import Claim
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARD_BYTES
from gpuatlas.sources.dra.project import project_claim
from gpuatlas_harness.spoilt import JUNK

Load = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def raw(dra: Load) -> dict[str, Any]:
    return dra("hami-v0.1.0", "team-e-chat-0-main")


def projected(raw: object) -> Claim:
    found = project_claim(raw)
    assert found is not None
    return found


def results_of(raw: dict[str, Any]) -> list[Any]:
    found: list[Any] = raw["status"]["allocation"]["devices"]["results"]
    return found


@pytest.mark.parametrize("raw", [None, [], "claim", 7, {}, {"metadata": {"name": 7}}])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(MalformedError, match=r"metadata\.name"):
        project_claim(raw)


@pytest.mark.parametrize("part", ["driver", "pool", "device", "request"])
@pytest.mark.parametrize("value", [None, "", "a b", 7, ["x"], "x" * 254])
def test_a_result_that_names_no_device_is_left_out(
    raw: dict[str, Any], part: str, value: object
) -> None:
    good = dict(results_of(raw)[0])
    results_of(raw)[0][part] = value
    results_of(raw).append(good)
    claim = projected(raw)
    assert [result.device for result in claim.results] == ["hami-gpu-0"]
    (rejection,) = claim.rejections
    assert (rejection.source, rejection.reason) == ("dra", "bad-text")
    assert rejection.where == "resourceclaim team-e/team-e-chat-0-main results"


@pytest.mark.parametrize("result", [None, 7, "gpu-0", [], {}])
def test_a_result_that_is_no_record_is_left_out(raw: dict[str, Any], result: object) -> None:
    results_of(raw).insert(0, result)
    claim = projected(raw)
    assert [found.device for found in claim.results] == ["hami-gpu-0"]
    assert [rejection.reason for rejection in claim.rejections] == ["bad-text"]


@pytest.mark.parametrize("value", [None, {}, "results", 7])
def test_results_that_are_no_list_are_none(raw: dict[str, Any], value: object) -> None:
    raw["status"]["allocation"]["devices"]["results"] = value
    assert projected(raw).results == ()


@pytest.mark.parametrize("status", [None, {}, [], {"allocation": None}, {"allocation": "x"}])
def test_a_claim_without_allocation_only_asks(raw: dict[str, Any], status: object) -> None:
    raw["status"] = status
    claim = projected(raw)
    assert (claim.results, claim.reserved_for, claim.rejections) == ((), (), ())
    assert [request.name for request in claim.requests] == ["main"]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        pytest.param("memory", "8 GB", "bad-quantity", id="no quantity"),
        pytest.param("memory", "-1", "out-of-range", id="negative memory"),
        pytest.param("memory", "3Ti", "out-of-range", id="no card is so large"),
        pytest.param("cores", "many", "bad-quantity", id="words for cores"),
        pytest.param("cores", "200k", "out-of-range", id="no card has so many cores"),
        pytest.param("cores", ["30"], "bad-quantity", id="a list"),
    ],
)
def test_an_amount_that_cannot_be_read_costs_the_amount(
    raw: dict[str, Any], name: str, value: object, reason: str
) -> None:
    results_of(raw)[0]["consumedCapacity"][name] = value
    claim = projected(raw)
    (result,) = claim.results
    amounts = {"memory": result.memory_bytes, "cores": result.cores}
    assert amounts.pop(name) is None
    assert list(amounts.values()) in ([30], [8000 * 1024**2])
    (rejection,) = claim.rejections
    assert rejection.reason == reason
    assert rejection.where == "resourceclaim team-e/team-e-chat-0-main result hami-gpu-0"
    assert rejection.message.startswith(f"consumed {name}")


@pytest.mark.parametrize("value", [None, {}, "8000Mi", [], {"memory": None}])
def test_nothing_consumed_is_no_limit(raw: dict[str, Any], value: object) -> None:
    results_of(raw)[0]["consumedCapacity"] = value
    claim = projected(raw)
    assert (claim.results[0].memory_bytes, claim.results[0].cores) == (None, None)
    assert claim.rejections == ()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        pytest.param(None, "bad-text", id="null"),
        pytest.param({"name": "x"}, "bad-text", id="no class"),
        pytest.param({"name": "x", "exactly": {}}, "bad-text", id="an empty request"),
        pytest.param({"deviceClassName": "c"}, "bad-text", id="no name"),
        pytest.param({"name": "x", "deviceClassName": "c d"}, "bad-text", id="a bad class"),
        pytest.param(
            {"name": "x", "deviceClassName": "c", "count": 0}, "out-of-range", id="none at all"
        ),
        pytest.param(
            {"name": "x", "deviceClassName": "c", "count": "2"}, "out-of-range", id="text"
        ),
        pytest.param(
            {"name": "x", "deviceClassName": "c", "count": 10**6}, "out-of-range", id="a million"
        ),
        pytest.param(
            {"name": "x", "firstAvailable": [{"deviceClassName": "c"}]},
            "bad-text",
            id="an alternative without name",
        ),
    ],
)
def test_a_bad_request_costs_the_request(
    raw: dict[str, Any], request_: object, reason: str
) -> None:
    raw["spec"]["devices"]["requests"].insert(0, request_)
    claim = projected(raw)
    assert [request.name for request in claim.requests] == ["main"]
    assert [rejection.reason for rejection in claim.rejections] == [reason]


@pytest.mark.parametrize(
    "consumer", [None, 7, {}, {"resource": "pods"}, {"name": "a", "uid": "b"}, {"resource": 7}]
)
def test_a_consumer_that_names_nobody_is_left_out(raw: dict[str, Any], consumer: object) -> None:
    raw["status"]["reservedFor"].insert(0, consumer)
    claim = projected(raw)
    assert [found.name for found in claim.reserved_for] == ["chat-0"]
    (rejection,) = claim.rejections
    assert rejection.where == "resourceclaim team-e/team-e-chat-0-main reservedFor"


def test_results_beyond_the_apis_limit_are_left_out(raw: dict[str, Any]) -> None:
    results_of(raw)[:] = results_of(raw) * 40
    claim = projected(raw)
    assert len(claim.results) == 32
    assert [rejection.reason for rejection in claim.rejections] == ["too-many"]


def test_a_claim_of_which_nothing_could_be_read_is_kept_for_its_rejections(
    raw: dict[str, Any],
) -> None:
    raw["spec"] = None
    raw["status"]["allocation"]["devices"]["results"] = [{"driver": ""}]
    claim = projected(raw)
    assert claim.results == ()
    assert len(claim.rejections) == 1


words = st.one_of(st.sampled_from(["gpu.nvidia.com", "main", "gpu-0", "1Gi", "5", "0"]), JUNK)
records = st.lists(
    st.dictionaries(
        st.sampled_from(
            re.findall(
                r"\S+",
                "driver pool device request name uid resource count exactly firstAvailable "
                "deviceClassName consumedCapacity config",
            )
        ),
        st.one_of(words, st.dictionaries(st.sampled_from(["memory", "cores"]), words)),
        max_size=7,
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=150)
@given(records, records, records, records)
def test_whatever_a_claim_holds_its_numbers_are_sound(
    requests: list[Any], results: list[Any], configs: list[Any], consumers: list[Any]
) -> None:
    allocated = {"results": results, "config": configs}
    claim = project_claim(
        {
            "metadata": {"name": "c", "namespace": "n"},
            "spec": {"devices": {"requests": requests}},
            "status": {"allocation": {"devices": allocated}, "reservedFor": consumers},
        }
    )
    if claim is None:
        return
    for result in claim.results:
        assert result.memory_bytes is None or 0 < result.memory_bytes <= MAX_CARD_BYTES
        assert result.cores is None or 0 < result.cores <= 100_000
        assert all(result.key)
    assert all(request.count is None or request.count > 0 for request in claim.requests)
    assert all(len(rejection.message) <= 200 for rejection in claim.rejections)
