"""Settings, the refresh loop and the HTTP server: what turns the parts into a process."""
