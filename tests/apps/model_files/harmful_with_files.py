"""The harmful format, with its own files as CatBoost's has."""

from tests.apps.model_files.harmful import UNNEEDED, load, parse, prepare

__all__ = ["FILES", "UNNEEDED", "load", "parse", "prepare"]

FILES = 3
