"""A simulated cluster that speaks the wire formats of the real systems; it knows no reader."""
