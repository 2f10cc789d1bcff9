"""The commands' JSON output: stable shapes, documented in docs/commands.md. Pure.

Rules of all shapes: sizes in bytes, shares as ratios, times in seconds; what is unknown is `null`
and its reason stands in the `unknown` map beside it, under the same path. Keys may be added; none
is renamed or changes its meaning while `apiVersion` stays.
"""
