"""Scores of rows and of grid cells, with proven bounds and error bands: the one form that the search uses."""
