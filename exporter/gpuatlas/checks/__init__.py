"""What the checks see at one instant: pure evaluators over what was observed and joined.

They say what is wrong now and quote the record. How long it must last, how grave it is and what to
do stands in `alerts/*.yaml`. `evaluate` has the seventeen of the sharing layer, for `serve` and for
`gpuatlas checks`; `hardware` the twelve on DCGM's pages for a look without a Prometheus, which
judges them by rules alone.
"""
