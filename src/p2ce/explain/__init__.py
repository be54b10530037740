"""Check what comes in and what goes out: people, and every point with the user's own model and detector."""
