"""Two different ids never look alike on one page."""

from hypothesis import given
from hypothesis import strategies as st

from p2ce import to_html, to_markdown
from p2ce.present.views.many_view import distinct_ids, view_of_many
from tests.present.cases import many
from tests.present.html_checker import checked

PICASSO = "José-Antonio María de los Remedios Cipriano de la Santísima Trinidad Picasso"
ids = st.one_of(
    st.integers(-3, 3),
    st.text(alphabet="ab 1(\u200b\n", max_size=5),
    st.builds("{}{}{}".format, st.sampled_from("ab"), st.just("x" * 300), st.sampled_from("ab")),
    st.builds("{} ({})".format, st.sampled_from("ab1"), st.integers(1, 3)),
)


@given(st.lists(ids, max_size=12), st.sampled_from([None, 9, 60]))
def test_different_ids_look_different_and_equal_ones_alike(found: list[object], most: int | None) -> None:
    shown = distinct_ids(found, most)
    looks = [" ".join(text.replace("\u200b", "").split()) for text in shown]
    for first, mine in zip(found, looks, strict=True):
        for second, other in zip(found, looks, strict=True):
            assert (mine == other) == ((type(first), first) == (type(second), second))


def test_twelve_people_have_twelve_names() -> None:
    ids = [f"{PICASSO} {number}" for number in range(10)] + [f"{PICASSO}, {end}" for end in ("Ruiz", "Sáez")]
    people = many(12, ids=ids)
    seen = view_of_many(people, audience="officer", language="en")
    assert len({row.id for row in seen.rows}) == 12
    assert max(len(row.id) for row in seen.rows) <= 60
    page = checked(to_html(people, audience="officer")).text
    for row in seen.rows:
        assert page.count(row.id) >= 2  # in the table and above the section
        assert row.id in to_markdown(people, audience="officer")
