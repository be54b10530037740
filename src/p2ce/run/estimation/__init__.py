"""Fit and apply the calibrated estimate."""
