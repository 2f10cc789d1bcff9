"""The sharing layers' own objects: controllers, webhooks, endpoints, leases, configuration.

`asks` is the table of what is asked of the API server; `parse` and `trim` are pure and say which
fields are read. Only `reading`, which asks the API server, and `tls`, which shakes hands with the
endpoints of webhooks, do I/O; `reader` leads them.
"""
