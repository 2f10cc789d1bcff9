"""Who shares a card, when it is full, who is slowed and who is suspected (DESIGN 8).

Pure: no I/O, no threads, and the clock is an argument. `moments` sees what an instant shows,
`observe` keeps a bounded state over time, and `counts` gives the counters that are published.
"""
