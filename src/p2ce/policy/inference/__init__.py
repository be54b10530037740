"""What data and names suggest: kinds, ranges, special values, protection, relations, associations."""
