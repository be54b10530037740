"""Trees and sums as scores."""
