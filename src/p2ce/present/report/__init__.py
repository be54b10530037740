"""Write reports that people read: one self-contained file on one person or many."""

from p2ce.present.report.html_page import to_html
from p2ce.present.report.markdown_page import to_markdown

__all__ = ["to_html", "to_markdown"]
