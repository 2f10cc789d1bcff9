"""The house's panels: functions that take words and queries and give a `Panel`.

Only `grafana.py` imports grafanalib, which has no types and the defaults of old Grafanas.
"""
