"""Detect the format of a model file, load it safely, and find the columns that the model takes.

A child process loads the file first (`sandbox`), while the parent imports the library, so that the child
costs little time. It imports what it needs and then gives up the rest. Landlock takes away files, programs,
TCP and signals; resource limits take away every new descriptor, thread and process. CatBoost exports to files
only, so it keeps a private folder. `formats/` has one module per format, and its docstring says what runs in
the child and what in the parent.

Pickles and skops files are loaded in the process itself, only if the user says so: no list can say which
classes of a library are harmless when a file calls them.
"""
