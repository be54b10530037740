"""Save an explainer without its model in one file of plain parts, and load it again."""

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
