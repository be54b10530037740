"""Evaluate what the solver found by the user's own model, detector and constraints."""
