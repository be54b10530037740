"""Turn an outlier detector into a compiled score: one file per detector."""
