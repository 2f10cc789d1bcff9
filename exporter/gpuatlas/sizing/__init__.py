"""What a workload needs, from what it used (DESIGN 7, 8). Pure: histories in, proposals out."""
