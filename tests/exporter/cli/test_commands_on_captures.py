from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

MIB = 1024 * 1024


def document(run: Run, *arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--output", "json")
    assert result.exit_code == 0, result.output
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def test_the_overcommitted_card_in_json_is_exact(run: Run, captures: Path) -> None:
    cards = document(run, "cards", "--from", captures / "hami-a10g")

    card = cards["nodes"][0]["cards"][0]
    assert card["memory"] == {
        "physical_bytes": 23_028 * MIB,
        "schedulable_bytes": 34_542 * MIB,
        "allocated_bytes": 29_000 * MIB,
        "overcommitted_bytes": 5_972 * MIB,
        "resident_bytes": 18_214 * MIB,
        "counted_bytes": 22_400 * MIB,
        "offloaded_bytes": 4_186 * MIB,
    }
    assert card["compute"] == {"allocated_ratio": 1.0, "utilization_ratio": 0.83}
    assert (card["tenants"], card["tenants_limit"], card["state"]) == (4, 10, "working")
    assert card["unknown"] == {}
    reserved = {a["pod"]: a["memory"]["reserved_bytes"] // MIB for a in card["allocations"]}
    assert reserved == {
        "llm-chat-7d9f8c6b5d-k2x4a": 12_000,
        "llm-chat-7d9f8c6b5d-p9w2c": 8_000,
        "embed-29788920-q7z5t": 6_000,
        "scratch": 3_000,
    }


def test_the_summary_adds_up(run: Run, captures: Path) -> None:
    summary = document(run, "cards", "--from", captures / "hami-a10g")["summary"]

    assert summary == {
        "nodes": 1,
        "cards": 2,
        "states": {"idle": 1, "working": 1},
        "physical_bytes": 46_056 * MIB,
        "physical_unknown_cards": 0,
        "allocated_bytes": 37_000 * MIB,
        "allocated_unknown_cards": 0,
        "overcommitted_bytes": 5_972 * MIB,
        "overcommitted_cards": 1,
    }


def test_what_nobody_measured_is_null_with_its_reason(run: Run, captures: Path) -> None:
    node = document(run, "cards", "--from", captures / "lone-node")["nodes"][0]

    assert node["card_count"] is None
    assert node["unknown"]["card_count"].startswith("capacity counts shares as well as cards")
    card = document(run, "cards", "--from", captures / "plain-a100")["nodes"][0]["cards"][0]
    assert card["memory"]["counted_bytes"] is None
    assert card["unknown"]["memory.counted_bytes"] == "no sharing layer counts this card"


def test_a_lone_page_shows_its_cards_under_the_host_that_it_names(run: Run, captures: Path) -> None:
    nodes = document(run, "cards", "--from", captures / "lone-page")["nodes"]

    assert [(n["name"], len(n["cards"])) for n in nodes] == [("gpu-x", 2)]
    memory = nodes[0]["cards"][0]["memory"]
    assert memory["physical_bytes"] == 15_360 * MIB
    assert memory["resident_bytes"] == 9_876 * MIB


def test_workloads_in_json_are_exact(run: Run, captures: Path) -> None:
    found = document(run, "workloads", "--from", captures / "hami-a10g")["workloads"]

    by_name = {w["name"]: w for w in found}
    assert sorted(by_name) == ["embed", "llm-chat", "notebook", "scratch"]
    chat = by_name["llm-chat"]
    assert (chat["kind"], chat["api_group"], chat["state"]) == ("Deployment", "apps", "waiting")
    assert chat["pods"] == {"Pending": 1, "Running": 2}
    assert chat["waiting_seconds"] == {"Unschedulable": 720.0}
    assert chat["memory"] == {"reserved_bytes": 20_000 * MIB, "used_bytes": 18_500 * MIB}
    assert chat["compute"]["reserved_cards"] == pytest.approx(0.7)
    assert chat["compute"]["used_cards"] == pytest.approx(0.65)
    assert by_name["embed"]["kind"] == "CronJob"
    assert by_name["embed"]["pods"] == {"Running": 1, "Succeeded": 1}


def test_used_memory_is_the_larger_of_the_two_views(run: Run, captures: Path) -> None:
    found = document(run, "workloads", "--from", captures / "plain-a100")["workloads"]

    training = next(w for w in found if w["name"] == "bert-large")
    assert training["memory"] == {
        "reserved_bytes": 2 * 81_920 * MIB,
        "used_bytes": (71_200 + 70_200) * MIB,
    }
    assert training["pods"] == {"Failed": 1, "Running": 1}


def test_a_node_pattern_selects_cards(run: Run, captures: Path) -> None:
    cards = document(run, "cards", "--from", captures / "hami-a10g", "--node", "a10g-*")

    assert [node["name"] for node in cards["nodes"]] == ["a10g-1"]


def test_a_node_that_is_not_there_is_a_failure_that_names_those_that_are(
    run: Run, captures: Path
) -> None:
    result = run("cards", "--from", captures / "hami-a10g", "--node", "a10g-7")

    assert result.exit_code == 1
    assert "no node with cards is called 'a10g-7'; nodes with cards: a10g-1" in result.stderr
    assert result.stdout == ""


def test_a_namespace_selects_its_cards_and_its_tenants(run: Run, captures: Path) -> None:
    cards = document(run, "cards", "--from", captures / "hami-a10g", "--namespace", "batch")

    held = [card for node in cards["nodes"] for card in node["cards"]]
    assert [card["index"] for card in held] == ["0"]
    assert [a["pod"] for a in held[0]["allocations"]] == ["embed-29788920-q7z5t"]
    assert held[0]["tenants"] == 4  # the card's own figure


def test_a_namespace_without_tenants_shows_no_card(run: Run, captures: Path) -> None:
    result = run("cards", "--from", captures / "hami-a10g", "-n", "nobody")

    assert result.exit_code == 0
    assert result.stdout.startswith("No node with accelerator cards was found, or none")


def test_workloads_are_selected_by_namespace_and_node(run: Run, captures: Path) -> None:
    folder = captures / "hami-a10g"

    lab = document(run, "workloads", "--from", folder, "-n", "lab")["workloads"]
    elsewhere = document(run, "workloads", "--from", folder, "--node", "other")["workloads"]
    assert [w["name"] for w in lab] == ["scratch", "notebook"]
    assert elsewhere == []


def test_workloads_that_are_over_are_counted_and_listed_on_demand(
    run: Run, tmp_path: Path, captures: Path
) -> None:
    pod = (captures / "plain-a100/objects/pods.yaml").read_text().split("---\n")[2]
    assert "phase: Failed" in pod
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects/pods.yaml").write_text(pod)

    listed = run("workloads", "--from", tmp_path, "--all").stdout
    unlisted = run("workloads", "--from", tmp_path).stdout
    assert "job/bert-large" in listed
    assert "job/bert-large" not in unlisted
    assert "1 failed" in unlisted
    assert "--all lists them" in unlisted


def test_an_option_can_be_an_environment_variable(run: Run, captures: Path) -> None:
    result = run("cards", GPUATLAS_FROM=str(captures / "lone-page"), GPUATLAS_OUTPUT="json")

    assert json.loads(result.stdout)["nodes"][0]["name"] == "gpu-x"


def test_objects_that_nobody_reads_are_told_of(run: Run, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects/x.yaml").write_text("kind: Secret\napiVersion: v1\nmetadata: {name: s}\n")

    result = run("cards", "--from", tmp_path)
    assert result.stderr == "warning: 1 of kind Secret not read\n"
    assert result.exit_code == 0
