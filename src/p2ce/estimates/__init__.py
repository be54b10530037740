"""Estimate from SHAP values what a model that can only be asked will say, and how far to trust that."""
