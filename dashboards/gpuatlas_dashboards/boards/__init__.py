"""One module a board; each reads as its table of contents."""
