"""The pages of Triton (25.08) and TGI (3.3), and which page a service has.

Names, types, help texts and labels are those of `triton-inference-server/core` (src/metrics.cc) and
of the router of text-generation-inference; of their families those that tell of load and speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gpuatlas.demo.services import page_of
from gpuatlas.demo.state import PodState, World
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.exposition import Page
from gpuatlas.demo.wire.python_pages import sglang_page, vllm_page
from gpuatlas.demo.wire.service_view import ServiceView, counted_below, view_of

_MICROSECONDS: Final = 1_000_000
# Of what a request takes once it does not wait.
_INPUT_SHARE: Final = 0.04
_INFER_SHARE: Final = 0.92
_OUTPUT_SHARE: Final = 0.04
# Bounds of all durations: 0.1 ms, and each half as much again.
_TGI_BOUNDS: Final = tuple(0.0001 * 1.5**power for power in range(1, 36))
# Of tokens: hundredths of the most that a request may have.
_TGI_TOKEN_BOUNDS: Final = tuple(40.96 * (number + 1) for number in range(100))


def triton_page(view: ServiceView) -> str:
    """The text that Triton serves on its own port for metrics."""
    page = Page()
    labels = (("model", view.workload.name), ("version", "1"))
    tally = view.tally
    if tally:
        done, busy = int(tally.requests), max(0.0, tally.seconds - tally.queued_seconds)
        for name, help_text, value in (
            ("request_success", "Number of successful inference requests, all batch sizes", done),
            ("count", "Number of inferences performed (does not include cached requests)", done),
            (
                "exec_count",
                "Number of model executions performed (does not include cached requests)",
                int(tally.requests / 4),
            ),
            (
                "request_duration_us",
                "Cumulative inference request duration in microseconds (includes cached requests)",
                int(_MICROSECONDS * tally.seconds),
            ),
            (
                "queue_duration_us",
                "Cumulative inference queuing duration in microseconds (includes cached requests)",
                int(_MICROSECONDS * tally.queued_seconds),
            ),
            (
                "compute_input_duration_us",
                "Cumulative compute input duration in microseconds (does not include cached "
                "requests)",
                int(_MICROSECONDS * _INPUT_SHARE * busy),
            ),
            (
                "compute_infer_duration_us",
                "Cumulative compute inference duration in microseconds (does not include cached "
                "requests)",
                int(_MICROSECONDS * _INFER_SHARE * busy),
            ),
            (
                "compute_output_duration_us",
                "Cumulative inference compute output duration in microseconds (does not include "
                "cached requests)",
                int(_MICROSECONDS * _OUTPUT_SHARE * busy),
            ),
        ):
            page.family(f"nv_inference_{name}", "counter", help_text, [(labels, str(value))])
    page.family(
        "nv_inference_pending_request_count",
        "gauge",
        "Instantaneous number of pending requests awaiting execution per-model.",
        [(labels, str(view.waiting))],
    )
    return page.text


def tgi_page(view: ServiceView) -> str:
    """The text that the router of TGI serves."""
    page = Page()
    tally = view.tally
    if tally:
        done = str(int(tally.requests))
        page.family("tgi_request_count", "counter", "Total number of requests", [((), done)])
        page.family("tgi_request_success", "counter", "Number of successful requests", [((), done)])
    page.family("tgi_queue_size", "gauge", "Current queue size", [((), str(view.waiting))])
    page.family("tgi_batch_current_size", "gauge", "Current batch size", [((), str(view.running))])
    if tally:
        seconds = view.traffic.seconds
        _tgi_times(page, view, "request_duration", "Total time spent processing the request",
                   (seconds, tally.seconds))  # fmt: skip
        _tgi_times(page, view, "request_queue_duration", "Time spent in the queue per request",
                   (0.001 * seconds, tally.queued_seconds))  # fmt: skip
        _tgi_times(page, view, "request_inference_duration", "Request inference duration",
                   (seconds, max(0.0, tally.seconds - tally.queued_seconds)))  # fmt: skip
        answer = view.traffic.tokens[1]
        _tgi_times(page, view, "request_generated_tokens", "Generated tokens per request",
                   (answer, answer * int(tally.requests)), _TGI_TOKEN_BOUNDS)  # fmt: skip
    return page.text


def _tgi_times(
    page: Page,
    view: ServiceView,
    name: str,
    help_text: str,
    usual_and_sum: tuple[float, float],
    bounds: Sequence[float] = _TGI_BOUNDS,
) -> None:
    if view.tally is None:
        return
    usual, total = usual_and_sum
    done = str(int(view.tally.requests))
    written = []
    if view.buckets:
        counts = counted_below(bounds, view.tally, usual)
        pairs = zip(bounds, counts, strict=True)
        written = [*((repr(bound), str(upto)) for bound, upto in pairs), ("+Inf", done)]
    page.histogram(f"tgi_{name}", help_text, (), written, (repr(round(total, 6)), done))


_FORMS: Final[Mapping[str, Callable[[ServiceView], str]]] = {
    "sglang": sglang_page,
    "tgi": tgi_page,
    "triton": triton_page,
    "vllm": vllm_page,
}


def service_page(world: World, pod: PodState, tallies: Tallies | None) -> str:
    """The text that the server in a pod serves; "" for a pod without one."""
    page = page_of(pod.workload, pod.ordinal)
    return _FORMS[page.form](view_of(world, pod, tallies)) if page else ""
