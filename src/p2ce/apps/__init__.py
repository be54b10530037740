"""Programs around the library; each imports what it needs when it runs, so --help is quick.

`cli` lists the commands. `exit_codes` runs one, and converts an error or Ctrl-C to an exit code and a line.
"""
