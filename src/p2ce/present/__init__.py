"""Write explanations for people: text, pages and charts. It imports `result` and no part of the engine.

    Explanation → view(explanation, audience, language) → a template per medium

Words are in `languages/<language>.toml`; one module formats every number, percentage, amount and list
(Babel); sentences come in pairs where applicants and others differ (`plain`, `exact`), and a template
chooses. Texts are whole sentences, since agreement differs between languages. Pages are laid out once from
the parts of a medium. Escaping happens at one point: the environment of a medium escapes whatever a template
prints that is not markup of ours. The HTML page loads nothing, and forbids itself all loading by a content
security policy. Names and sentences break anywhere, numbers never; tests render pages in Chromium, from
phones to paper, and find no clipped cell.

In `charts/`, `*_data.py` says what is drawn, labelled and placed between 0 and 1; `matplotlib/` draws it for
people who write code, `svg/` for the page.

To add a language, copy `languages/en.toml` to `<code>.toml` and translate it; its first lines name the
locale. `tests/present/test_languages.py` says what is missing, and ``P2CE_WRITE_GOLDEN=1 pytest -n0
tests/present`` writes its texts, to be proofread. To add an audience, write
`templates/text.<audience>.jinja`; the view has both forms of every sentence, all options and all facts. To
add a medium for pages, write `templates/medium.<medium>.jinja` with the macros of the others, and name how
text is escaped there in `render.ESCAPES`.
"""
