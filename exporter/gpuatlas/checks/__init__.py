"""The seventeen checks of the sharing layer: pure evaluators over what was observed and joined.

They say what is wrong now and quote the record. How long it must last, how grave it is and what to
do stands in `alerts/sharing.yaml`. The hardware checks are PromQL alone and are not here.
"""
