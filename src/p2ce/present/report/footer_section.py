"""Write the footer of the page: versions, hashes, and what a counterfactual is not."""

from p2ce.present.report.page_parts import Facts, Part, Section, Text
from p2ce.present.report.reader import Reader
from p2ce.result import Question
from p2ce.result.number_text import readable

KNOWN_HASHES = ("model", "reference", "policy")


def disclaimer_section(reader: Reader) -> Section:
    """Say what a counterfactual is not."""
    return Section(title=reader.labels("not_heading"), parts=(Text(text=reader.labels("not_text")),))


def footer_parts(question: Question | None, reader: Reader) -> tuple[Part, ...]:
    """List versions, hashes and settings."""
    labels = reader.labels
    if question is None:
        return (Text(text=labels("footer_unknown"), kind="note"),)
    facts = []
    if question.versions:
        listed = ", ".join(f"{name} {version}" for name, version in question.versions.items())
        facts.append((labels("footer_versions"), listed))
    if question.people:
        facts.append((labels("footer_people"), labels.count(question.people)))
    settings = {name: value for name, value in question.settings.items() if value is not None}
    if settings and not reader.is_person:
        listed = ", ".join(f"{name} {readable(value)}" for name, value in settings.items())
        facts.append((labels("footer_settings"), listed))
    hashes = [
        (labels("footer_hashes", what=labels(f"hash_{name}") if name in KNOWN_HASHES else name), value)
        for name, value in question.hashes.items()
    ]
    if not facts and not hashes:
        return (Text(text=labels("footer_unknown"), kind="note"),)
    places = frozenset(range(len(facts), len(facts) + len(hashes)))
    return (Facts(pairs=(*facts, *hashes), code=places),)
