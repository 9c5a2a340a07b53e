// Lets readers sort and filter tables, which are whole and in a useful order without it. It writes
// no markup: what it adds are elements, and what they say comes from the page.
(() => {
  "use strict";

  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  /** What a row sorts by: a number if the column has any, else its text; null stands last. */
  const keysOf = (rows, column) => {
    const cells = rows.map((row) => row.cells[column]);
    const numbers = cells.map((cell) => ("value" in cell.dataset ? Number(cell.dataset.value) : null));
    return numbers.some((number) => number !== null)
      ? { keys: numbers, compare: (a, b) => (a < b ? -1 : Number(a > b)) }
      : { keys: cells.map((cell) => cell.textContent || null), compare: collator.compare };
  };

  const sorted = (rows, column, sign) => {
    const { keys, compare } = keysOf(rows, column);
    const places = rows.map((_, place) => place);
    places.sort((a, b) => {
      if (keys[a] === null || keys[b] === null) {
        return Number(keys[a] === null) - Number(keys[b] === null) || a - b;
      }
      return sign * compare(keys[a], keys[b]) || a - b;
    });
    return places.map((place) => rows[place]);
  };

  /** Each press goes one step on: numbers from the largest and texts from the first, then the
   *  other way, then as before. */
  const stepsOf = (hasNumbers) =>
    hasNumbers ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];

  const makeSortable = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const hasNumbers = rows.some((row) => "value" in row.cells[column].dataset);
      if (head.classList.contains("number") && !hasNumbers) {
        return; // set like numbers, but of several: "3 / 4 / 5" has no order
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
        body.append(...(next === "none" ? rows : sorted(rows, column, sign)));
      });
    });
  };

  const makeFilterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    said.setAttribute("aria-live", "polite");
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    const label = document.createElement("label");
    label.append(table.dataset.filter, " ", input);
    const bar = document.createElement("div");
    bar.className = "filter";
    bar.append(label, " ", said);
    table.parentElement.before(bar);

    let texts = null; // read once somebody asks
    const narrow = () => {
      texts ??= rows.map((row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase());
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !texts[place].includes(wanted);
        shown += Number(!row.hidden);
      });
      const counts = { shown, all: rows.length };
      said.textContent = wanted
        ? table.dataset.count.replace(/\{(shown|all)\}/g, (_, name) => counts[name].toLocaleString("en"))
        : "";
    };
    input.addEventListener("input", narrow);
  };

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  document.querySelectorAll("table[data-filter]").forEach(makeFilterable);
})();
