"""Neural networks as scores."""
