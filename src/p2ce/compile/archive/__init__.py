"""Save an explainer without its model in one file of plain parts, and load it again.

The compiled isolation forest is kept as arrays, so that another scikit-learn gives the same fronts; the model
comes back from its user and is compared by 64 of its scores. Array headers are parsed here, and a forest's
indices are checked, because kernels check none.
"""

from p2ce.base.zip_parts import zipped
from p2ce.compile.archive.read_archive import SavedExplainer, read_saved
from p2ce.compile.archive.saved_arguments import SavedArguments, arguments_to_save
from p2ce.compile.archive.stored_settings import read_objectives, stated_objectives
from p2ce.compile.archive.write_archive import archive_parts

__all__ = [
    "SavedArguments",
    "SavedExplainer",
    "archive_parts",
    "arguments_to_save",
    "read_objectives",
    "read_saved",
    "stated_objectives",
    "zipped",
]
