"""Compile what the user states into one problem, and place and price batches of instances on its grid."""
