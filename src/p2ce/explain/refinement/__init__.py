"""Refine fronts of an inferred grid: values between its candidates, near the options that it holds."""
