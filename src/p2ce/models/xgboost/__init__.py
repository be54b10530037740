"""Parse XGBoost models."""
