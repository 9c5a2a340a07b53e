// Sorting and filtering of tables, links to queries, and what a chart says of a mark. The page is
// complete without it. It writes no markup: it adds elements, and takes their text from the page.
(() => {
  "use strict";

  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const element = (name, className = "", ...children) => {
    const made = Object.assign(document.createElement(name), { className });
    made.append(...children);
    return made;
  };

  const status = (className) => {
    const made = element("p", className);
    made.setAttribute("role", "status");
    made.setAttribute("aria-live", "polite");
    return made;
  };

  /** The number in a cell: unrounded if another cell has the same text, else as shown. */
  const numberOf = (cell) => {
    const shown = cell.textContent.replace(/^(<|<=) |,/g, "").replace("−", "-").replace("∞", "Infinity");
    const number = Number(cell.dataset.value ?? (shown || NaN));
    return Number.isNaN(number) ? null : number;
  };

  /** Sorts by the numbers of a column, or else by its text; nulls come last. */
  const sorted = (rows, column, hasNumbers, sign) => {
    const keyOf = hasNumbers ? numberOf : (cell) => cell.textContent || null;
    const compare = hasNumbers ? (a, b) => (a < b ? -1 : Number(a > b)) : collator.compare;
    const keyed = rows.map((row) => [keyOf(row.cells[column]), row]);
    const order = ([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b));
    return keyed.sort(order).map(([, row]) => row);
  };

  const makeSortable = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const hasNumbers = head.classList.contains("number");
      if (hasNumbers && rows.every((row) => numberOf(row.cells[column]) === null)) {
        return; // several numbers per cell, such as "3 / 4 / 5", have no order
      }
      const button = element("button", "", ...head.childNodes);
      head.append(button);
      // Clicks step through numbers descending and text ascending, the reverse, and the first order.
      const steps = hasNumbers ? ["descending", "ascending"] : ["ascending", "descending"];
      button.addEventListener("click", () => {
        const next = steps[steps.indexOf(head.getAttribute("aria-sort")) + 1];
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        if (next) {
          head.setAttribute("aria-sort", next);
        }
        body.append(...(next ? sorted(rows, column, hasNumbers, next === "ascending" ? 1 : -1) : rows));
      });
    });
  };

  const help = element("p", "help");

  /** Says what the column holds whose heading has the focus. */
  const makeHelpful = (head) => {
    const control = head.querySelector("button") ?? head;
    control.title = head.title;
    control.tabIndex = 0;
    control.addEventListener("focus", () => {
      help.textContent = head.title;
      head.closest(".table").before(help);
    });
    control.addEventListener("blur", () => help.remove());
  };

  const makeFilterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    const { filter, count, all: every } = table.dataset;
    const input = Object.assign(element("input"), { type: "search", autocomplete: "off" });
    const line = status("");
    const bar = element("div", "filter", element("label", "", filter, " ", input));
    const choices = all("th[data-choice]", table).map((head) => {
      const texts = rows.map((row) => row.cells[head.cellIndex].textContent);
      const values = [...new Set(texts)].sort(collator.compare);
      const options = values.map((value, place) => new Option(value, place));
      const select = element("select", "", new Option(every, ""), ...options);
      bar.append(element("label", "", head.textContent, " ", select));
      return { select, has: (place) => !select.value || texts[place] === values[select.value] };
    });
    bar.append(line);
    table.parentElement.before(bar);

    const textOf = (row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase();
    let texts = null; // read on first use
    const narrow = () => {
      texts ??= rows.map(textOf);
      const wanted = input.value.trim().toLowerCase();
      rows.forEach((row, place) => {
        row.hidden = !(texts[place].includes(wanted) && choices.every(({ has }) => has(place)));
      });
      const counts = { shown: rows.filter((row) => !row.hidden).length, all: rows.length };
      const narrowed = wanted || choices.some(({ select }) => select.value);
      const words = narrowed ? count : "";
      line.textContent = words.replace(/\{(\w+)\}/g, (_, name) => counts[name].toLocaleString("en"));
    };
    bar.addEventListener("input", narrow);
    table.showAll = () => {
      all("input, select", bar).forEach((each) => (each.value = ""));
      narrow();
    };
  };

  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a lone % sign
    }
  };

  const missing = document.querySelector("table[data-missing]")?.dataset.missing ?? "";
  const notice = status("missing");

  // A link to a query leads to its documents where the page shows them, and else to its row.
  const rows = new Map(all('tr[id^="query="]').map((row) => [row.id, row]));
  const rowOf = (wanted) => rows.get(wanted) ?? rows.get(decoded(wanted));
  const inFull = new Map();
  all("[data-query]").reverse().forEach((each) => {
    const { query } = each.dataset;
    const held = /[\s%]/.test(query) ? encodeURIComponent(query) : query;
    rows.get(`query=${held}`)?.removeAttribute("id");
    inFull.set(query, each);
  });

  /** Opens and shows what a link leads to. */
  const follow = () => {
    const wanted = location.hash.slice(1);
    const name = decoded(wanted);
    const query = name.startsWith("query=") ? name.slice(6) : null;
    const target = inFull.get(query) ?? rowOf(wanted) ?? document.getElementById(name);
    all(".found").forEach((each) => each.classList.remove("found"));
    const shown = () => query.replace(/\p{C}/gu, "\ufffd").slice(0, 80);
    notice.textContent = query && !target ? missing.replace("{query}", shown) : "";
    if (!target) {
      return;
    }
    if (target.hidden) {
      target.closest("table")?.showAll?.();
    }
    for (let at = target; at; at = at.parentElement) {
      at.open = true; // means something to <details> alone
    }
    if (query !== null) {
      target.classList.add("found");
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
    }
    target.scrollIntoView();
  };

  /** Makes of the marks of a chart one stop of the tab key, and says what a mark is. */
  const makeReadable = (drawing) => {
    const marks = all('a[href^="#query="]', drawing);
    const chart = drawing.closest(".chart") ?? drawing.parentElement; // a drawing that listens takes the focus
    if (!marks.length) {
      return;
    }
    const line = chart.parentElement.querySelector(".readout") ?? status("readout");
    line.textContent = chart.dataset.hint ?? "";
    chart.after(line);
    drawing.setAttribute("role", "group"); // an image would hide its marks
    const wordsOf = (mark) => {
      const row = rowOf(mark.getAttribute("href").slice(1));
      const heads = row?.closest("table").tHead.rows[0].cells;
      const words = heads && [...row.cells].map((cell, at) => `${heads[at].textContent}: ${cell.textContent}`);
      return words?.join(" · ") ?? mark.querySelector("title").textContent;
    };
    const stopAt = (mark) => marks.forEach((each) => each.setAttribute("tabindex", each === mark ? 0 : -1));
    const enter = ({ type, target }) => {
      const mark = marks[marks.indexOf(target.closest("a"))];
      line.textContent = mark ? wordsOf(mark) : line.textContent;
      if (mark && type === "focusin") {
        stopAt(mark);
      }
    };
    stopAt(marks[0]);
    chart.addEventListener("pointerover", enter);
    chart.addEventListener("focusin", enter);
    chart.addEventListener("keydown", (event) => {
      const at = marks.indexOf(event.target.closest("a"));
      const steps = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: -1 };
      const next = at < 0 ? null : marks.at(steps[event.key] % marks.length);
      if (next && event.key in steps) {
        event.preventDefault();
        next.focus();
      }
    });
  };

  all("table.sortable").forEach(makeSortable);
  all("th[title]").forEach(makeHelpful);
  all("table[data-filter]").forEach(makeFilterable);
  all("svg").forEach(makeReadable);
  all("button .name").forEach((name) => name.removeAttribute("tabindex"));
  if (missing) {
    document.querySelector("main").append(notice);
  }

  addEventListener("hashchange", follow);
  addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href^="#"]');
    if (location.hash && link?.getAttribute("href") === location.hash) {
      follow(); // the address stays, but what it leads to may be closed again
    }
  });
  if (location.hash) {
    follow();
  }

  let opened = []; // for print
  addEventListener("beforeprint", () => {
    opened = all("details[data-print]:not([open])");
    opened.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((each) => (each.open = false)));
})();
