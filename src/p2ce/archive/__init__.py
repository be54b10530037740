"""Keep an explainer without its model in one file of plain parts, and read it back: one file per part."""

from p2ce.archive.read_archive import AS_SAVED, SavedExplainer, read_saved
from p2ce.archive.saved_arguments import SavedArguments, arguments_to_save
from p2ce.archive.write_archive import archive_parts
from p2ce.zip_parts import zipped

__all__ = [
    "AS_SAVED",
    "SavedArguments",
    "SavedExplainer",
    "archive_parts",
    "arguments_to_save",
    "read_saved",
    "zipped",
]
