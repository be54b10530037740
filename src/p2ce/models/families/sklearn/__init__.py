"""Parse scikit-learn's models."""
