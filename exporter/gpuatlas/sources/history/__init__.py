"""The past of containers, nodes and neighbours, out of a Prometheus that has our recordings.

`reader` asks, a metric at a time, and `look` is what comes of it; the others are pure. `names` has
what is asked for, `labels` whose a series is, `numbers` what it can be. `daily` holds what was
recorded over days, `present` what is there now. `days`, `reservation`, `ahead` (with `vllm`) and
`runs` are the parts of a history, which `assemble` puts together; `nodes` and `contended` are the
rest, and `missing` says what nobody can know and what to do.
"""
