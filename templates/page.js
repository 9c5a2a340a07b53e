// Sorting and filtering of tables; the page is complete without it. It writes no markup: it adds
// elements, and takes their text from the page.
(() => {
  "use strict";

  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  /** The number in a cell: unrounded if another cell has the same text, else as shown. */
  const numberOf = (cell) => {
    const shown = cell.textContent.replace(/^< /, "").replaceAll(",", "").replace("∞", "Infinity");
    const number = Number(cell.dataset.value ?? (shown || NaN));
    return Number.isNaN(number) ? null : number;
  };

  const numbersOf = (rows, column) => rows.map((row) => numberOf(row.cells[column]));

  const byNumber = (a, b) => (a < b ? -1 : Number(a > b));

  /** Sorts by the numbers of a column, or else by its text; nulls come last. */
  const sorted = (rows, column, hasNumbers, sign) => {
    const texts = () => rows.map((row) => row.cells[column].textContent || null);
    const keys = hasNumbers ? numbersOf(rows, column) : texts();
    const compare = hasNumbers ? byNumber : collator.compare;
    const places = rows.map((_, place) => place);
    places.sort((a, b) => {
      if (keys[a] === null || keys[b] === null) {
        return Number(keys[a] === null) - Number(keys[b] === null) || a - b;
      }
      return sign * compare(keys[a], keys[b]) || a - b;
    });
    return places.map((place) => rows[place]);
  };

  /** The orders that clicks step through: numbers descending and text ascending, then reversed,
   *  then the original order. */
  const stepsOf = (hasNumbers) =>
    hasNumbers ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];

  const makeSortable = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const hasNumbers = head.classList.contains("number");
      if (hasNumbers && numbersOf(rows, column).every((number) => number === null)) {
        return; // several numbers per cell, such as "3 / 4 / 5", have no order
      }
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const steps = stepsOf(hasNumbers);
        const next = steps[(steps.indexOf(head.getAttribute("aria-sort") ?? "none") + 1) % 3];
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        if (next !== "none") {
          head.setAttribute("aria-sort", next);
        }
        const sign = next === "ascending" ? 1 : -1;
        body.append(...(next === "none" ? rows : sorted(rows, column, hasNumbers, sign)));
      });
    });
  };

  const makeFilterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    status.setAttribute("aria-live", "polite");
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    const label = document.createElement("label");
    label.append(table.dataset.filter, " ", input);
    const bar = document.createElement("div");
    bar.className = "filter";
    bar.append(label, " ", status);
    table.parentElement.before(bar);

    let texts = null; // read on first use
    const narrow = () => {
      texts ??= rows.map((row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase());
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !texts[place].includes(wanted);
        shown += Number(!row.hidden);
      });
      const counts = { shown, all: rows.length };
      status.textContent = wanted
        ? table.dataset.count.replace(/\{(shown|all)\}/g, (_, name) => counts[name].toLocaleString("en"))
        : "";
    };
    input.addEventListener("input", narrow);
  };

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  document.querySelectorAll("table[data-filter]").forEach(makeFilterable);
})();
