"""GPU Atlas: the accelerator cards and the workloads of a Kubernetes cluster, made visible."""

__version__ = "0.1.0"
