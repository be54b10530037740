"""Verify the solver's results with the user's own model, detector and constraints."""
