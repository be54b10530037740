"""Show answers to people; everything here sees only `result`."""

from p2ce.present.text import to_text

__all__ = ["to_text"]
