"""Evidence files: all that it takes to repeat one explanation."""
