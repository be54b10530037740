"""The formats of model files, one module each.

A module has three functions:

* ``prepare(content)`` imports what the other two need, before the child process gives up opening files;
* ``parse(content)`` runs in the child process, on bytes of anybody: it checks them, has the library load them
  and gives the library's own writing of what it loaded;
* ``load(content)`` runs in the parent, on what ``parse`` gave: it checks that again and makes the model.
  Where checking needs the library, ``parse`` has called it before.

``UNNEEDED`` names packages that the library takes where they are there, and that parsing does not need.
``FILES`` says how many files the child may have open, none if it is not there.
"""

MOST_FEATURES = 10_000_000  # far more than any table has, and few enough to reserve memory for
