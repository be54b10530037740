"""The scorecards of optbinning."""
