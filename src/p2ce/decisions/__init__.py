"""Turn margins of any model family into scores: a class wins, a threshold, a range."""
