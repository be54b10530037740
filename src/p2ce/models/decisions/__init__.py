"""Convert margins of any model family to scores: for the win of a class, a threshold, or a range."""
