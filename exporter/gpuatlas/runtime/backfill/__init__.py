"""Writes a past into a Prometheus: samples by remote write, and what the rules make of them.

Knows nothing of where the samples come from.
"""
