"""Render views with templates. All values are escaped once, for the kind of text."""

import base64
import hashlib
import html
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from p2ce.base.visible import echoed, shortened, visible, visible_code, visible_line
from p2ce.errors import InvalidArgument, nearest
from p2ce.portfolio.audits.audit_result import Audit
from p2ce.present.languages import LanguageWords, load_words
from p2ce.present.views.audit_facts import Fact
from p2ce.present.views.audit_view import AuditView, view_of_audit
from p2ce.present.views.many_view import ManyView, distinct_ids, view_of_many, with_whys
from p2ce.present.views.view import OptionView, View, view
from p2ce.present.wording import Phrases
from p2ce.result import Explanation, Explanations, Relaxations
from p2ce.result.rendered import write_report

TEMPLATES = files("p2ce.present").joinpath("templates")
# The audiences are those of the templates text.<audience>.jinja.
AUDIENCES = tuple(
    sorted(file.name.split(".")[1] for file in TEMPLATES.iterdir() if file.name.startswith("text."))
)
FoundRelaxations: TypeAlias = Relaxations | Mapping[Any, Relaxations] | None
Presentable: TypeAlias = Explanation | Explanations | Audit

# In Markdown: what begins a list, a heading's underline or a rule at the start of a line, and what would
# become a link by itself.
SPECIAL = re.compile(r"[\\`*_{}\[\]#|~!$]")
BEGINNING = re.compile(r"([-+=](?=[-+=\s]|$)|\d+(?=[.)](?:\s|$)))")
# Words of Hebrew, Arabic and similar scripts, with the numbers between them.
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
RIGHT_TO_LEFT = re.compile(rf"{_LETTER}+(?:[\s\d_.-]+{_LETTER}+)*")
ADDRESS = re.compile(r"(?i)(?<=[a-z]):(?=//)|(?<=\bwww)\.")


def to_text(
    explanation: Presentable,
    path: str | os.PathLike[str] | None = None,
    *,
    audience: str = "applicant",
    language: str = "en",
    phrases: Phrases | None = None,
    title: str | None = None,
    relaxations: FoundRelaxations = None,
) -> str:
    """Write an explanation as plain sentences: the current outcome, each option, what is proven.

    `audience` is the "applicant" (few options, plain words), an "officer" (all options, scores) or an
    "auditor" (every fact). `language` is "en", "pt" (Brazil) or "es". Names, units and formats are those of
    the policy's displays. `phrases` replaces the words for changes, and takes precedence over the displays:
    ``{("HasGuarantor", True): "get a guarantor"}``. `relaxations`, from `Explainer.relaxations`, adds which
    relaxations give an option to a person who has none. The texts of many people follow each other, each
    under its id; `relaxations` is then a dict from ids. `title` is a line at the top. With a `path`, the text
    is also written there, completely or not at all. An `Audit` takes `path`, `language` and `title`.

    Values are written in full, or as the display rounds them if the rounded row was verified too. An option
    has the same number everywhere, except for applicants, who read of options A, B and C: up to five options,
    or three if there are more.

    >>> from p2ce.result import Certificate, Counterfactual, Status
    >>> option = Counterfactual(
    ...     number=1, values={"LoanAmount": 5200}, changes={"LoanAmount": (7500, 5200)},
    ...     costs={"changes": 1.0}, score=0.53,
    ... )
    >>> explanation = Explanation(
    ...     status=Status.OPTIMAL, person={"LoanAmount": 7500}, person_score=0.31, at_least=0.5, target=1,
    ...     counterfactuals=(option,), objectives=("changes",), dtypes={"LoanAmount": "int64"},
    ...     certificate=Certificate(proven=True, method="exact", model_family="LightGBM",
    ...                             bound="tree leaves", cells=96, axes=1, boxes=3, ties=True),
    ... )
    >>> print(to_text(explanation, audience="officer"))  # doctest: +ELLIPSIS
    Date: not stated.
    <BLANKLINE>
    The model's probability for class 1 is 0.310 and must reach 0.5. 1 option was found that achieves this:
    1. Lower LoanAmount from 7,500 to 5,200. This gives 0.530.
    Proven: this is the only Pareto-optimal option among 96 possible combinations. Search: 3 boxes of ...
    """
    _check("to_text", explanation, audience, language, title, relaxations)
    parts = [visible_line(title)] if title else []
    if isinstance(explanation, Audit):
        parts.append(render("audit_text.jinja", "txt", view_of_audit(explanation, language)).strip("\n"))
        return write_report("\n".join(parts), path, "The report")
    if isinstance(explanation, Explanation):
        seen = view(explanation, audience=audience, language=language, phrases=phrases, why=relaxations)
        parts.append(_text(seen))
        return write_report("\n".join(parts), path, "The report")
    found = with_whys(explanation, relaxations)
    for id_, (_, entry, mine) in zip(distinct_ids(explanation.ids), found, strict=True):
        seen = view(entry, audience=audience, language=language, phrases=phrases, why=mine)
        parts.append(f"{id_}\n{_text(seen)}")
    return write_report("\n\n".join(parts), path, "The report")


def to_html(
    explanation: Presentable,
    path: str | os.PathLike[str] | None = None,
    *,
    audience: str = "applicant",
    language: str = "en",
    phrases: Phrases | None = None,
    title: str | None = None,
    relaxations: FoundRelaxations = None,
) -> str:
    """Write a report as one HTML file that needs no network: for a phone, a screen or paper.

    The arguments are those of `to_text`.

    >>> from p2ce.result import Status
    >>> explanation = Explanation(
    ...     status=Status.ACCEPTED, person={"Age": 41}, person_score=0.8, at_least=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> page = to_html(explanation, language="pt", title="Ana & Bia")
    >>> page[:35], "<title>Ana &amp; Bia</title>" in page
    ('<!DOCTYPE html>\\n<html lang="pt-BR">', True)
    """
    _check("to_html", explanation, audience, language, title, relaxations)
    return write_report(
        page("html", explanation, audience, language, phrases, title, relaxations), path, "The report"
    )


def to_markdown(
    explanation: Presentable,
    path: str | os.PathLike[str] | None = None,
    *,
    audience: str = "applicant",
    language: str = "en",
    phrases: Phrases | None = None,
    title: str | None = None,
    relaxations: FoundRelaxations = None,
) -> str:
    """Write the same report as `to_html` in GitHub-flavoured Markdown, without its drawings.

    The arguments are those of `to_text`.

    >>> from p2ce.result import Status
    >>> explanation = Explanation(
    ...     status=Status.ACCEPTED, person={"Age": 41}, person_score=0.8, at_least=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> to_markdown(explanation, title="Ana | Bia").splitlines()[0]
    '# Ana \\\\| Bia'
    """
    _check("to_markdown", explanation, audience, language, title, relaxations)
    text = page("md", explanation, audience, language, phrases, title, relaxations)
    # A part that is left out leaves empty lines.
    return write_report(re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", path, "The report")


def render(template: str, medium: str, seen: View | ManyView | AuditView, **extra: Any) -> str:
    """AreaLook in a template with a view. `medium` selects how text is escaped: "txt", "html" or "md"."""
    return render_words(template, seen.wording.words, medium, audience=seen.audience, view=seen, **extra)


def render_words(
    template: str, words: LanguageWords, medium: str = "txt", *, audience: str = "", **extra: Any
) -> str:
    """AreaLook in a template that needs only the words of a language."""
    return (
        environment(medium)
        .get_template(template)
        .render(
            medium=medium,
            say=words.say,
            say_for=lambda key: words.say(words.variant(key, audience)),
            counted=words.counted,
            count=words.numbers.count,
            card_facts=card_facts,
            html_language=words.tag,
            **extra,
        )
    )


@cache
def environment(medium: str) -> Environment:
    """Build the environment of a medium, which escapes everything except our own markup."""
    escape = ESCAPES[medium]

    def finalize(value: Any) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape(value))

    made = Environment(
        loader=PackageLoader("p2ce.present"),
        autoescape=True,  # macros then return Markup; `finalize` has escaped everything else
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["code"] = _fenced if medium == "md" else lambda text: _code(text, escape)
    made.filters["mark"] = Markup
    made.filters["attribute"] = lambda text: Markup(html.escape(visible(text), quote=True))
    made.filters["short"] = lambda text, most=120: shortened(text, most)
    if medium == "html":
        made.globals |= _page_resources()
    return made


def card_facts(seen: View, option: OptionView, said: str) -> list[Fact]:
    """List the facts on an option's card: its result and its costs."""
    words = seen.wording
    facts = [Fact(seen.output_name, words.say("today_is", new=option.output, old=seen.today))]
    costs = ((cost.name, getattr(cost.compared, said)) for cost in option.costs)
    facts += [Fact(name, text) for name, text in costs if text]
    if option.plausibility and said == "exact":
        facts.append(Fact(words.say("col_plausibility"), option.plausibility))
    if option.flags and said == "exact":
        facts.append(Fact(words.say("col_flags"), "; ".join(option.flags)))
    return facts


def _check(caller: str, explanation: Any, audience: Any, language: Any, title: Any, relaxations: Any) -> None:
    """Check the arguments that all reports share."""
    load_words(language)  # raises if the language is unknown
    if audience not in AUDIENCES:
        raise InvalidArgument(
            f"There are no texts for the audience {echoed(audience)}. {nearest(audience, AUDIENCES)}"
        )
    if title is not None and not isinstance(title, str):
        raise InvalidArgument(f"title must be text; got {echoed(title)}. Leave it out for the usual title.")
    if not isinstance(explanation, Presentable):
        raise InvalidArgument(
            f"{caller}() needs an Explanation, Explanations or an Audit; got {type(explanation).__name__}. "
            "Pass what explain(), explain_many() or audit() returned."
        )
    if isinstance(explanation, Audit) and relaxations is not None:
        raise InvalidArgument("relaxations= belongs to explanations, but this is an audit. Leave it out.")


def _text(seen: View) -> str:
    return render(f"text.{seen.audience}.jinja", "txt", seen).strip("\n")


def page(
    medium: str,
    explanation: Presentable,
    audience: str,
    language: str,
    phrases: Phrases | None,
    title: str | None,
    relaxations: FoundRelaxations,
) -> str:
    """AreaLook in the page about one person, many people or an audit, in a medium."""
    from p2ce.present import figures  # here, since text needs no charts

    draws = medium == "html"
    if isinstance(explanation, Audit):
        found = view_of_audit(explanation, language)
        groupings = [
            (one, figures.of_grouping(found, one.groups) if draws else None) for one in found.groupings
        ]
        return render("audit.jinja", medium, found, title=title, groupings=groupings)
    if isinstance(explanation, Explanation):
        seen = view(explanation, audience=audience, language=language, phrases=phrases, why=relaxations)
        drawn = figures.of_person(seen) if draws else ()
        return render("person.jinja", medium, seen, title=title, figures=drawn)
    many = view_of_many(explanation, audience=audience, language=language, phrases=phrases, why=relaxations)
    people = [
        (row.id, row.anchor, person, figures.changes(person) if draws else None)
        for row, person in zip(many.rows, many.sections, strict=False)
    ]
    return render("people.jinja", medium, many, title=title, charts=figures.of_many(many), people=people)


def markdown_escaped(text: object) -> str:
    """Escape text so that none of it is parsed as Markdown or HTML, on one line.

    >>> print(markdown_escaped("a|b <i> *c*"), markdown_escaped("1. first"), markdown_escaped("- item"))
    a\\|b &lt;i&gt; \\*c\\* 1\\. first \\- item
    """
    shown = visible(text).strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = ADDRESS.sub(
        lambda found: "\\" + found.group(), SPECIAL.sub(lambda found: "\\" + found.group(), shown)
    )
    begins = BEGINNING.match(shown)
    if begins is None:
        return shown
    mark = begins.group()
    return f"{mark}\\{shown[len(mark) :]}" if mark[0].isdigit() else f"\\{shown}"


def html_escaped(text: object) -> str:
    """Escape text for HTML. Text that is written from right to left does not move the text next to it.

    >>> html_escaped("a < b"), html_escaped("שכר (₪): 5")
    ('a &lt; b', '<bdi>שכר</bdi> (₪): 5')
    """
    return RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", html.escape(visible(text), quote=True))


def _code(text: str, escape: Callable[[object], str]) -> Markup:
    """Write lines unchanged, each escaped."""
    return Markup("\n".join(Markup(escape(line)) for line in visible_code(text).split("\n")))


def _fenced(text: str, language: str) -> Markup:
    """Write lines in a fence that is longer than any fence in them."""
    shown = visible_code(text).rstrip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return Markup(f"{fence}{language}\n{shown}\n{fence}")


def _page_resources() -> dict[str, Markup]:
    style, script = (
        TEMPLATES.joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")
        for name in ("page.css", "page.js")
    )
    # Nothing is ever loaded, and only this style and this script in the page are valid. So even markup that
    # was not escaped could do nothing.
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {
        "page_style": Markup(style),
        "page_script": Markup(script),
        "page_policy": Markup(html.escape(policy)),
    }


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


ESCAPES: dict[str, Callable[[object], str]] = {
    "txt": visible_line,
    "html": html_escaped,
    "md": markdown_escaped,
}
