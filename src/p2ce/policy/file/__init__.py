"""The policy file: its schema, parsing, writing and lint."""
