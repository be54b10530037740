"""Compile the user's settings into one problem, and place and price batches of instances on its grid."""
