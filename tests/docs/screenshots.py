"""Are the pictures of the documentation those that its code makes now, and how are pages photographed?

A drawing is compared by its words: lengths of lines depend on versions of matplotlib. A screenshot keeps the
checksum of the page's words, without versions and hashes, in the PNG itself.
"""

import base64
import hashlib
import html
import io
import re
import tempfile
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.optional import LazyLibrary
from tests.present.browser import Browser, find_browser

Image, PngImagePlugin = LazyLibrary("PIL.Image"), LazyLibrary("PIL.PngImagePlugin")
PICTURES = ROOT / "docs" / "pictures"
WORDS = "words"  # the name of the checksum in a PNG
PHONE, LAPTOP = (390, 830, 2.0), (1024, 1600, 1.0)  # width, most of the height, pixels for each CSS pixel
ON_A_PHONE = {"person"}
COLOURS = 128
NOT_WORDS = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)
VARIES = re.compile(r"\b[0-9a-f]{12,}\b|\d+\.\d+(?:\.\w+)+")
TEXT = re.compile(r"<text\b[^>]*>([^<]*)</text>")


def is_drawn_as(new: Path, kept: Path) -> bool:
    """Compare the words of two drawings; a drawing that is not kept is not the same."""
    return kept.exists() and _drawn_words(new) == _drawn_words(kept)


def pages_shown(page: Path, folder: Path) -> list[Path]:
    """List the HTML pages in the folder of which a page of the documentation shows a picture."""
    text = page.read_text(encoding="utf-8")
    return [path for path in sorted(folder.glob("*.html")) if f"pictures/{path.stem}.png)" in text]


def is_current(page: Path, pictures: Path) -> bool:
    """Check that the picture of an HTML page shows the words that the page has now."""
    picture = pictures / f"{page.stem}.png"
    if not picture.exists():
        return False
    with Image.open(picture) as opened:
        return opened.info.get(WORDS) == _checksum(page)


def take_screenshots(pages: list[Path], pictures: Path) -> None:
    """Photograph HTML pages with Chromium, and keep each as a PNG of few colours."""
    with tempfile.TemporaryDirectory() as folder, Browser(find_browser(), Path(folder)) as browser:
        for page in pages:
            width, tallest, scale = PHONE if page.stem in ON_A_PHONE else LAPTOP
            browser.open(page.read_text(encoding="utf-8"))
            browser.lay_out(width)
            height = min(browser.evaluate("document.documentElement.scrollHeight"), tallest)
            area = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
            taken = browser.call("Page.captureScreenshot", clip=area, captureBeyondViewport=True)["data"]
            with Image.open(io.BytesIO(base64.b64decode(taken))) as picture:
                few = picture.convert("RGB").quantize(COLOURS)
            note = PngImagePlugin.PngInfo()
            note.add_text(WORDS, _checksum(page))
            few.save(pictures / f"{page.stem}.png", optimize=True, pnginfo=note)


def _checksum(page: Path) -> str:
    words = html.unescape(NOT_WORDS.sub(" ", page.read_text(encoding="utf-8")))
    return hashlib.sha256(" ".join(VARIES.sub("", words).split()).encode()).hexdigest()


def _drawn_words(picture: Path) -> list[str]:
    return sorted(TEXT.findall(picture.read_text(encoding="utf-8")))
