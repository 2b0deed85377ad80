// The page is whole without this: it makes tables sortable and agents findable.
"use strict";

for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const key = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.sort === undefined ? cell.textContent : Number(cell.dataset.sort);
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // Numbers are wanted largest first, words from A on.
      const first = head.classList.contains("number") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const rows = Array.from(body.rows).map((row) => [key(row, at), row]);
      rows.sort(([a], [b]) => sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

const search = document.getElementById("agent-search");
if (search) {
  search.closest(".search").hidden = false;
  const count = document.getElementById("agent-count");
  const rows = Array.from(document.querySelectorAll(".by-agent tbody tr"), (row) => {
    const words = [row.cells[0], ...Array.from(row.cells).filter((cell) => !cell.classList.contains("number"))];
    return [row, words.map((cell) => cell.textContent).join("\n").toLowerCase()];
  });
  const details = Array.from(document.querySelectorAll(".by-agent details.numbers"));
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    const found = new Set();
    for (const [row, words] of rows) {
      row.hidden = wanted !== "" && !words.includes(wanted);
      if (!row.hidden) found.add(row.cells[0].textContent.toLowerCase());
    }
    for (const each of details) {
      if (wanted !== "") each.open = true;
    }
    count.textContent = wanted === "" ? "" : found.size === 1 ? "1 crawler" : `${found.size} crawlers`;
  });
}
