"""The HTTP side of the simulator: a Kubernetes API and the exporters' endpoints, on loopback."""
