"""The site is built without a warning, and needs nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="the site needs the extra 'docs'")
pytest.importorskip("mkdocstrings", reason="the site needs the extra 'docs'")

ROOT = Path(__file__).parent.parent.parent
# What a browser fetches by itself, unlike a link that a reader has to follow.
FETCHED = re.compile(r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//""")
LOADED = re.compile(r"""<link\b(?![^>]*\brel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//""")
IN_STYLES = re.compile(r"""(?:@import\s+|url\()["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},  # a notice of the theme, not about these pages
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        html = page.read_text(encoding="utf-8")
        for pattern in (FETCHED, LOADED, IN_STYLES):
            found = pattern.search(html)
            assert found is None, f"{page.relative_to(site)} fetches {found[0] if found else ''}"


def test_no_style_fetches_anything_from_elsewhere(site: Path) -> None:
    for style in site.rglob("*.css"):
        assert not IN_STYLES.search(style.read_text(encoding="utf-8")), style.name


def test_the_reference_tells_what_the_command_line_takes(site: Path) -> None:
    page = (site / "reference" / "command-line" / "index.html").read_text(encoding="utf-8")
    for word in ("p2ce explain", "--trust-pickle", "p2ce policy check", "--strict", "p2ce version"):
        assert word in page
    assert "[green]" not in page


def test_the_tutorial_shows_its_pictures(site: Path) -> None:
    page = (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<img[^>]*\bsrc="([^"]+\.svg)"', page)
    assert pictures
    assert all((site / "tutorial" / picture).exists() for picture in pictures)
