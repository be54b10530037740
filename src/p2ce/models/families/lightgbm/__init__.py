"""Parse LightGBM models."""
