"""Other callers of a run: relaxations, evaluations of proposals, maps."""
