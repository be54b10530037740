"""Parse an outlier detector into a compiled score, or prepare its evaluation: one file per kind."""
