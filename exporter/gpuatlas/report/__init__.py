"""What a change of sharing did: the same quantities before and after it. Pure.

`windows` lays stretches of equal length around the changes, `quantities` has what is asked of a
Prometheus, `measures` reduces the answers, `effect` compares them. Nothing here asks anybody.
"""
