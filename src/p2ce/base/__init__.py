"""What everything else stands on: errors in words, files, limits, arrays, calls of the user's objects."""
