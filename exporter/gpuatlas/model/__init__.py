"""The words of GPU Atlas as frozen dataclasses.

Rule of this layer: pure data. It imports nothing from its siblings, does no I/O and never asks for
the time. Sizes are bytes, durations seconds, shares ratios where 1 is a whole card, instants Unix
seconds. Anything that may be unmeasured is a `Reading`: a value, or the reason why there is none.
"""
