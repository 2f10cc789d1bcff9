"""Examines an installation: from what was read of it to results with a cause and what to do.

Pure: nothing is asked here. `sources.kubernetes.reviews` and `sources.promapi.installation` read,
`runtime.doctor` puts it together.
"""
