"""Model files: what each is, how it is loaded safely, and which columns the model takes."""
