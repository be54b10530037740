"""Parse PyTorch networks."""
