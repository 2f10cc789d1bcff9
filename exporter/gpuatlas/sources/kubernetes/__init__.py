"""The Kubernetes API server as a source: nodes, pods and their owners, cut to what is needed.

`connection` is the only module that uses the `kubernetes` package and the network. `project`,
`trim`, `discovery`, `proxy`, `events`, `served`, `parts` and the tables (`kinds`, `kept`,
`components`, `resources`) are pure. `reflector` keeps one kind in step with the server in a thread
of its own; `optional` does so for kinds that a cluster may have or not, which `survey` finds out;
`listing` reads all kinds once, for commands. A new kind is a row in `kinds`; `rbac` says what the
rows need.
"""
