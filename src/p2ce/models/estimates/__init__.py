"""Estimates of a black-box model's score from SHAP values, and their calibration."""
