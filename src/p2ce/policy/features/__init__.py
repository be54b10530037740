"""What a feature is: its kind, how it may change, its candidate values and its display."""
