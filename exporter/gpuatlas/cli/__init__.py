"""The commands. They parse words, call `runtime` and print; they decide nothing."""
