"""Refine fronts of an inferred grid: try values between its candidates, close to the options found."""
