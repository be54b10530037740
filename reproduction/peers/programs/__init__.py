"""Programs that run in a peer's environment. They get a folder, and import nothing of this project."""
