"""The harmful format, with its own files as CatBoost's has."""

from tests.apps.model_files.harmful import UNNEEDED, load_parsed, parse_file, prepare

__all__ = ["FILES", "UNNEEDED", "load_parsed", "parse_file", "prepare"]

FILES = 3
