"""Features: kinds, ranges, candidate values, special values, display."""
