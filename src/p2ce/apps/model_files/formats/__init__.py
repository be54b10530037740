"""The formats of model files, one module each.

A module has three functions:

* ``prepare(content)`` imports what the other two need, before the child process gives up opening files.
* ``parse_file(content)`` runs in the child process on untrusted bytes. It checks them, lets the library load
  them, and returns the model as the library writes it again.
* ``load_parsed(content)`` runs in the parent on what ``parse_file`` returned. It checks that again and builds
  the model. If the check needs the library, ``parse_file`` has made the same call before.

``UNNEEDED`` names packages that the library imports if they are installed, and that parsing does not need.
``FILES`` is the number of files that the child may have open. Without it, the child may open none.
"""

MOST_FEATURES = 10_000_000  # far more than any table has, and few enough for memory
