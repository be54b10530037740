"""Draw charts with matplotlib, without pyplot and its global state."""
