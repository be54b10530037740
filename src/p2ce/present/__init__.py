"""Write explanations for people: text, charts and reports. It imports `result` and no engine."""

from p2ce.present.write_text import to_text

__all__ = ["to_text"]
