// Tables of a page that sort and filter where they stand. A cell sorts by data-value, or by its text.

const value = (row, column) => {
  const cell = row.cells[column];
  return cell ? (cell.dataset.value ?? cell.textContent.trim()) : "";
};
const number = (text) => {
  const found = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(found) ? -Infinity : found;
};

function sortBy(head) {
  const table = head.closest("table");
  const body = table.tBodies[0];
  const column = head.cellIndex;
  const numeric = head.dataset.sort === "number";
  const next = head.getAttribute("aria-sort") === (numeric ? "descending" : "ascending") ? -1 : 1;
  const sign = numeric ? -next : next;
  const rows = [...body.rows].map((row, at) => [row, value(row, column), at]);
  rows.sort((a, b) => {
    const order = numeric ? number(a[1]) - number(b[1]) : a[1].localeCompare(b[1], undefined, { numeric: true });
    return order ? sign * order : a[2] - b[2];
  });
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  body.append(...rows.map((row) => row[0]));
}

function filter(box) {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const list of document.querySelectorAll(box.dataset.filter)) {
    const rows = list.tBodies ? [...list.tBodies].flatMap((body) => [...body.rows]) : [...list.children];
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }
}

export function startTables() {
  for (const head of document.querySelectorAll("table.sortable th[data-sort]")) {
    if (head.querySelector("button")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(head));
  }
  for (const box of document.querySelectorAll("input[data-filter]")) {
    if (box.dataset.ready) continue;
    box.dataset.ready = "yes";
    box.addEventListener("input", () => filter(box));
    if (box.value) filter(box);
  }
}
