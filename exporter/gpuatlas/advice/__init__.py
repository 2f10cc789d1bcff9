"""Which way of sharing its cards suits a node pool. Pure: no I/O, no clock.

`pools` puts the cards of a snapshot into pools, `tenants` and `facts` measure one pool, `rules` is
the table of what speaks for and against each strategy, `advise` applies it. A figure in a reason is
always one of the snapshot's; a rule's own thresholds stand in `facts` with their sources.
"""
