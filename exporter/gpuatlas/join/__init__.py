"""Pure: turns `Observations` into one immutable `Snapshot`. It imports model only.

Nothing is guessed: a card or a number that no source names is `Unknown`, with the reason.
"""
