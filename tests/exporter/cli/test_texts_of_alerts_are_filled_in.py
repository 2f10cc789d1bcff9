"""Prometheus' templates as far as they go without a Prometheus."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.cli.alert_text import filled_in
from gpuatlas.model.catalogue import SignalEntry
from gpuatlas.sources.catalogue import load_catalogue

LABELS = {
    "node": "gpu-a",
    "namespace": "team-a",
    "object": "Deployment/team-a/llm",
    "pod": "llm-0",
    "xid": "79",
}
SIGNALS = [(e.id, signal) for e in load_catalogue().checks for signal in e.signals]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Plain  text\n  on lines.", "Plain text on lines."),
        ("Node {{ $labels.node }}.", "Node gpu-a."),
        ("{{$labels.node}}", "gpu-a"),
        ("Card {{ $labels.card }}.", "Card <card>."),
        ('{{ $labels.object | reReplaceAll "/.*/" "/" }}', "Deployment/llm"),
        ('{{ $labels.object | reReplaceAll "^[^/]*/|/.*$" "" }}', "team-a"),
        ('{{ $labels.card | reReplaceAll "a" "b" }}', "<card>"),
        (
            "get pods{{ with $labels.namespace }} -n {{ . }}{{ else }} -A{{ end }}",
            "get pods -n team-a",
        ),
        ("get pods{{ with $labels.card }} -n {{ . }}{{ else }} -A{{ end }}", "get pods -A"),
        ("a{{ with $labels.card }} b {{ . }}{{ end }} c", "a c"),
        ("a  {{- /* said to nobody */ -}}  b", "ab"),
        (
            '{{ if eq $labels.xid "48" }}1{{ else if eq $labels.xid "79" }}2{{ else }}3{{ end }}',
            "2",
        ),
        (
            '{{ if eq $labels.xid "48" }}1{{ else if eq $labels.xid "1" }}2{{ else }}3{{ end }}',
            "3",
        ),
        ('{{ if eq $labels.xid "48" }}one{{ end }}', ""),
        (
            "{{ range printf `up{a=%q}` $labels.a | query }}{{ .Labels.x }}{{ else }}none{{ end }}",
            "none",
        ),
        (
            "{{ range query `up` }}{{ if $labels.x }}a{{ else }}b{{ end }}{{ else }}none{{ end }}",
            "none",
        ),
        ("{{ $value | humanize }}", "…"),
        ("{{ }}", "…"),
        ("{{ end }}", ""),
        ("{{ if", "{{ if"),
    ],
)
def test_a_template(template: str, text: str) -> None:
    assert filled_in(template, LABELS) == text


def test_an_empty_label_is_none() -> None:
    assert filled_in("{{ $labels.pod }}{{ with $labels.pod }}!{{ end }}", {"pod": ""}) == "<pod>"


@pytest.mark.parametrize(("check", "signal"), SIGNALS, ids=lambda v: getattr(v, "signal", v))
def test_every_text_of_the_catalogue_can_be_filled_in(check: str, signal: SignalEntry) -> None:
    for template in (signal.cause, signal.action):
        for labels in (LABELS, {}):
            text = filled_in(template, labels)
            assert "{{" not in text, check
            assert "…" not in text, check
    assert filled_in(signal.cause, LABELS) != ""
    assert filled_in(signal.action, LABELS) != ""


@pytest.mark.parametrize(
    "number", [xid for xid, e in load_catalogue().xids.items() if e.kind in {"critical", "warning"}]
)
def test_the_action_of_every_hardware_xid_is_found(number: int) -> None:
    entry = load_catalogue().check("H01")
    assert entry is not None
    signal = entry.signal("xid")
    assert signal is not None
    labels = {"xid": str(number)}
    assert (
        filled_in(signal.cause, labels) == f"XID {number}: {load_catalogue().xids[number].meaning}."
    )
    assert filled_in(signal.action, labels).startswith("NVIDIA's action: ")


PIECES = st.sampled_from(
    [
        *("{{", "}}", "{{-", "-}}", " ", "if ", "with ", "range ", "else", "end", "/*", "*/"),
        *("$labels.node", '"', "`", "|", "eq ", "reReplaceAll", ".", "x"),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=20).map("".join))
def test_any_template_is_survived(template: str) -> None:
    assert isinstance(filled_in(template, LABELS), str)
