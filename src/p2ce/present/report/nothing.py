"""Put on the page why a person has no option, and what would open one."""

from p2ce.present.report.parts import Bullets, Part, Section, Text
from p2ce.present.report.reader import Reader
from p2ce.present.restriction_words import ways_in_words
from p2ce.result import Explanation, WhyNone

BULLET = "- "


def why_section(explanation: Explanation, why: WhyNone, reader: Reader) -> Section:
    """List the smallest sets of restrictions without which there is an option."""
    return Section(title=reader.labels("why_heading"), parts=why_parts(explanation, why, reader))


def why_parts(explanation: Explanation, why: WhyNone, reader: Reader) -> tuple[Part, ...]:
    """Give the parts of the section: a line that counts the ways, the ways, and whether these are all."""
    lines = ways_in_words(why, reader.speaker(explanation), audience=reader.audience)
    ways = tuple(line.removeprefix(BULLET) for line in lines if line.startswith(BULLET))
    others = [Text(text=line) for line in lines if not line.startswith(BULLET)]
    return (others[0], *([Bullets(items=ways)] if ways else []), *others[1:])
