"""What `gpuatlas demo` brings up around the simulated cluster: a past, a Prometheus, a Grafana."""
