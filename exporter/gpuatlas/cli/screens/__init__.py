"""What the commands show a person: a snapshot as lines of text. Pure; they print nothing."""
