"""Every word that a board shows, one file for each board and language.

`shapes/` says which words a board needs, so that mypy finds a missing one. No expression and no
layout belongs here.
"""
