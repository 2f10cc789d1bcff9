"""Objects of Kueue, Volcano, KAI, coscheduling and Kubernetes itself that place pods.

Pure: from raw API objects to `model.placement`, one module a system, with the trim of each object
beside its projection: `project(trim(x)) == project(x)`. The only error is `MalformedError`.
Formats: facts/k8s.md 3.2, 3.3 and 5.1.
"""
