"""Invented pasts whose truth is known: what an analysis must find in them, and what it must not."""
