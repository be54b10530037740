"""Runs over files of any size: sources, shards, journal, results."""
