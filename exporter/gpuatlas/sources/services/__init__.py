"""What inference servers say of their own work: queues, requests, tokens, caches.

`tables` has the metric names, `parse` reads a page, `targets` finds the pods to ask, `direct` asks
them, `prometheus` reads the same out of a Prometheus that scrapes them already. These pages are the
tenants' own: whatever they say counts for their own pod only, and within bounds.
"""
