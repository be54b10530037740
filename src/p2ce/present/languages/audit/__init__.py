"""Hold the words of each language that only an auditor reads."""
