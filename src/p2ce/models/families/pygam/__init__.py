"""Parse the generalised additive models of pyGAM."""
