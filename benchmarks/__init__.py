"""Measure how fast p2ce answers, beside the simplest exact method on the same question."""
