"""Parse the rules and small trees of imodels."""
