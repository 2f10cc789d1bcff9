"""Reads the exposition endpoints of other exporters: bounded, in parallel, one by one unharmed.

`transport` brings the bytes (straight from the pod, or through the API server's pod proxy),
`readers` says which parser belongs to which source, `scraper` does a round over all targets. The
rest of the package knows no metric.
"""
