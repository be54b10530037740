"""Read a page as strictly as a careful reader would, and list what is wrong with it."""

import re
from html.parser import HTMLParser

EMPTY = {"meta", "br", "input", "line", "rect", "circle", "path"}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
KNOWN = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "header",
    "main",
    "footer",
    "section",
    "article",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "bdi",
    "strong",
    "span",
    "div",
    "ul",
    "li",
    "dl",
    "dt",
    "dd",
    "code",
    "pre",
    "figure",
    "figcaption",
    "details",
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "a",
    "svg",
    "desc",
    "text",
    "line",
    "rect",
    "circle",
    "path",
}
ATTRIBUTES = {
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "id",
    "href",
    "scope",
    "role",
    "tabindex",
    "aria-label",
    "aria-hidden",
    "data-search",
    "data-none",
    "open",
    "viewbox",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "width",
    "height",
    "d",
    "text-anchor",
}


class Page(HTMLParser):
    """A page, taken apart."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.language = ""
        self.policy = ""
        self.shown: list[str] = []  # text outside of style and script
        self.inline: dict[str, str] = {}  # "style" and "script"
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")
        if len(set(self.ids)) < len(self.ids):
            self.wrong.append("an id appears twice")
        self.wrong += [f"no anchor {link}" for link in self.links if link[1:] not in self.ids]
        for before, after in zip([0, *self.headings], self.headings, strict=False):
            if after > before + 1:
                self.wrong.append(f"h{after} follows h{before}")
        if self.headings.count(1) != 1:
            self.wrong.append("not exactly one h1")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag not in KNOWN:
            self.wrong.append(f"foreign element {tag}")
        if len(given) < len(attrs):
            self.wrong.append(f"an attribute appears twice in {tag}")
        self.wrong += [f"foreign attribute {name} in {tag}" for name in given if name not in ATTRIBUTES]
        if tag not in EMPTY:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if "href" in given:
            self.links.append(given["href"] or "")
            if not re.fullmatch(r"#[a-z]+-\d+", given["href"] or ""):
                self.wrong.append(f"a link to {given['href']!r}")
        if tag in HEADINGS:
            self.headings.append(HEADINGS[tag])
        if tag == "html":
            self.language = given.get("lang") or ""
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given.get("content") or ""
        if tag == "th" and given.get("scope") not in ("row", "col"):
            self.wrong.append("a th without scope")
        if tag == "svg" and given.get("role") != "img":
            self.wrong.append("an svg that is not an image to those who cannot see")

    def handle_endtag(self, tag: str) -> None:
        if tag in EMPTY:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
            return
        self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.inline[self.open[-1]] = self.inline.get(self.open[-1], "") + data
        else:
            self.shown.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"a comment: {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"a declaration: {data!r}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"an instruction: {data!r}")

    @property
    def text(self) -> str:
        """All that is read on the page."""
        return " ".join(" ".join(self.shown).replace("\xa0", " ").split())


def checked(text: str) -> Page:
    """Take a page apart and fail on anything that is wrong with it."""
    page = Page(text)
    assert page.wrong == []
    for name, attributes in page.tags:
        for key, value in attributes.items():
            assert not key.startswith("on"), f"{name} has {key}"
            assert key not in ("src", "srcset", "action", "style", "xlink:href"), f"{name} has {key}"
            # A name may be an address, and stay text: it is read out, and leads nowhere.
            assert key == "aria-label" or not re.search("https?:", value or "")
    assert not re.search(r"@import|url\(|src\s*:", page.inline["style"])
    assert not re.search(r"fetch|XMLHttp|import|eval|innerHTML|document\.write", page.inline["script"])
    return page
