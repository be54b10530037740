"""Turn an outlier detector into a compiled score, or settle how it is evaluated: one file per kind."""
