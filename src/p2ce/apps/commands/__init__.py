"""What each command does, one file each."""
