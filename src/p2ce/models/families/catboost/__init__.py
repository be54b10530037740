"""Parse CatBoost models."""
