"""Call the user's own objects safely: frames in, checked numbers out."""
