"""Detect the format of a model file, load it safely, and find the columns that the model takes."""
