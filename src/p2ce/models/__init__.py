"""Turn a user's fitted model into a compiled score: one file per family."""
