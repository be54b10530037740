"""Detect the format of a model file, load it safely, and find the columns that the model takes.

A child process loads the file first (`sandbox`), while the parent imports the library, so that the child
costs little time. It imports what it needs, then gives up the rest: by Landlock files, programs, TCP and
signals, and by resource limits every new descriptor, thread and process. CatBoost, which exports to files
only, keeps a private folder. `formats/` has a module per format: `parse` (in the child) checks the bytes, has
the library load them, tries a row and returns the library's own writing of it; `load` (in the parent) checks
that again and makes the model. Resource limits are in every Unix, Landlock in most Linux kernels, and neither
needs privileges; seccomp and namespaces would restrict more, but that is what containers are for.

Pickles and skops files are loaded in the process itself, only if the user says so: no list can say which
classes of a library are harmless when a file calls them.
"""
