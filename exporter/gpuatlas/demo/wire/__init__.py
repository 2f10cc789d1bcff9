"""Writes a `World` as the documents of the real systems. Pure: no network, no clock."""
