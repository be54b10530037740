"""Programs that run in a peer's environment: they import nothing of this project, and are told a folder."""
