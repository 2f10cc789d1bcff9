"""The Kubernetes API server as a source: nodes, pods and their owners, cut to what is needed.

`connection` is the only module that uses the `kubernetes` package and the network. `project`,
`trim`, `discovery`, `proxy`, `events` and the tables (`kinds`, `kept`, `components`, `resources`)
are pure. `reflector` keeps one kind in step with the server in a thread of its own; `listing` reads
all kinds once, for commands. A new kind is a row in `kinds`.
"""
