// The page says everything without this; with it, tables of people can be searched.
"use strict";
for (const box of document.querySelectorAll("[data-search]")) {
  const rows = Array.from(box.querySelectorAll("tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const field = document.createElement("input");
  const none = document.createElement("p");
  field.type = "search";
  field.placeholder = box.dataset.search;
  field.setAttribute("aria-label", box.dataset.search);
  none.textContent = box.dataset.none;
  none.setAttribute("role", "status");
  none.hidden = true;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    none.hidden = shown > 0;
  });
  box.before(field);
  box.after(none);
}
