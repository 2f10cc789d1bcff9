"""Which program runs in a pod: vLLM, Triton, PyTorch … (facts/k8s.md 4).

Pure. `table` is the only place that knows a runtime; adding one is adding a row. `spec` is the
entry for whole pod specs, `detect` for its parts, `reduce` for what a capture may keep of them.
"""
