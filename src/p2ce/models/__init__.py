"""Parse a user's fitted model into compiled scores: one file or folder per family."""
