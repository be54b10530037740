"""Keep an explainer without its model in one file of plain parts, and read it back: one file per part."""

from p2ce.archive.contents import Asked, asked_of
from p2ce.archive.read_archive import AS_SAVED, Kept, read_kept
from p2ce.archive.write_archive import save

__all__ = ["AS_SAVED", "Asked", "Kept", "asked_of", "read_kept", "save"]
