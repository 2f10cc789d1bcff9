"""A simulated cluster that speaks the real systems' wire formats. It knows nothing of our readers."""
