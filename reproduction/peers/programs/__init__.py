"""Programs that run in a peer's environment: they import nothing of this project, and get a folder."""
