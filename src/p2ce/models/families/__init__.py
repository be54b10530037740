"""One package per library."""
