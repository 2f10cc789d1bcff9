"""Which words there are; `texts/<language>/` fills them in."""
