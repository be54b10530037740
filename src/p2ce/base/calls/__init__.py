"""Call the user's own objects safely: they receive frames and return checked numbers."""
