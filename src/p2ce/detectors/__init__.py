"""Turn an outlier detector into a compiled score, or settle how it is asked: one file per kind."""
