"""Check evidence with a separate program that imports nothing of the engine (a test ensures this)."""
