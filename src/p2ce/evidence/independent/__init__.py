"""Check evidence by a separate program, which imports nothing of the engine (a test holds it)."""
