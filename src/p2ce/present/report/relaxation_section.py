"""Put on the page which relaxations give an option to a person who has none."""

from p2ce.present.relaxation_sentences import relaxations_in_words
from p2ce.present.report.page_parts import Bullets, Part, Section, Text
from p2ce.present.report.reader import Reader
from p2ce.result import Explanation, WhyNone

BULLET = "- "


def why_section(explanation: Explanation, why: WhyNone, reader: Reader) -> Section:
    """List the smallest sets of restrictions without which there is an option."""
    return Section(title=reader.labels("why_heading"), parts=why_parts(explanation, why, reader))


def why_parts(explanation: Explanation, why: WhyNone, reader: Reader) -> tuple[Part, ...]:
    """Give the parts of the section: the number of relaxations, each one, and whether these are all."""
    lines = relaxations_in_words(why, reader.speaker(explanation), audience=reader.audience)
    relaxations = tuple(line.removeprefix(BULLET) for line in lines if line.startswith(BULLET))
    others = [Text(text=line) for line in lines if not line.startswith(BULLET)]
    return (others[0], *([Bullets(items=relaxations)] if relaxations else []), *others[1:])
