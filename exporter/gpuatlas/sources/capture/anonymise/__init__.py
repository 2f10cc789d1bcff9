"""Replaces the names in a capture, the same way everywhere, so that its numbers stay the same.

Replaced: names of nodes, namespaces, workloads, pods, containers, claims, queues and groups, ids of
objects and cards, addresses, hosts, images, certificates, and every text, label or annotation that
no reader interprets. Kept: kinds, label and annotation keys, resource names, card models, metric
names, numbers and times. What is not known to be harmless is replaced: a text passes only if
`vocabulary` has it.
"""

from gpuatlas.sources.capture.anonymise.capture import anonymise

__all__ = ["anonymise"]
