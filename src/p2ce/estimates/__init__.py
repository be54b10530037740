"""Estimate the score of a black-box model from SHAP values, and calibrate the estimate."""
