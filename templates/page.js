// Sorting, filtering and copying of tables, links to queries, and what a chart says of a mark. The
// page is complete without it. It writes no markup: it adds elements, with texts of the page.
(() => {
  "use strict";

  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const element = (name, className = "", ...children) => {
    const made = Object.assign(document.createElement(name), { className });
    made.append(...children);
    return made;
  };

  const words = document.querySelector("main").dataset;
  const filled = (text, counts) => text.replace(/\{(\w+)\}/g, (_, name) => counts[name].toLocaleString("en"));

  const button = (text, act, className = "") => {
    const made = Object.assign(element("button", className, text), { type: "button" });
    made.addEventListener("click", () => act(made));
    return made;
  };

  const status = (className) => {
    const made = element("p", className);
    made.setAttribute("role", "status");
    made.setAttribute("aria-live", "polite");
    return made;
  };

  /** The number in a cell, as shown. */
  const numberOf = (cell) => {
    const shown = cell.textContent.replace(/^(<|<=) |,/g, "").replace("−", "-").replace("∞", "Infinity");
    const number = Number(shown || NaN);
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

  /** What is shown of a table: its rows in an order, those chosen, and of many the first ones. */
  const views = new Map();
  const makeView = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const view = { rows, order: rows, chosen: () => true, most: rows.length > 500 ? 300 : Infinity, clear: () => {} };
    const more = button("", () => view.showAll(), "all-rows");
    view.found = () => view.order.filter(view.chosen);
    view.show = () => {
      const found = view.found();
      const shown = new Set(found.slice(0, view.most));
      rows.forEach((row) => (row.hidden = !shown.has(row)));
      more.hidden = found.length <= view.most;
      more.textContent = filled(words.more, { all: found.length });
      return found.length;
    };
    view.showAll = () => {
      view.most = Infinity;
      view.show();
    };
    view.sort = (order) => {
      view.order = order;
      view.show();
      body.append(...order);
    };
    views.set(table, view);
    if (view.most < rows.length) {
      table.parentElement.after(more);
      view.show();
    }
  };

  const makeSortable = (table) => {
    const view = views.get(table);
    const { rows } = view;
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const hasNumbers = head.classList.contains("number");
      if (hasNumbers && rows.every((row) => numberOf(row.cells[column]) === null)) {
        return; // several numbers per cell, such as "3 / 4 / 5", have no order
      }
      const control = element("button", "", ...head.childNodes);
      head.append(control);
      // Clicks step through numbers descending and text ascending, the reverse, and the first order.
      const steps = hasNumbers ? ["descending", "ascending"] : ["ascending", "descending"];
      control.addEventListener("click", () => {
        const next = steps[steps.indexOf(head.getAttribute("aria-sort")) + 1];
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        if (next) {
          head.setAttribute("aria-sort", next);
        }
        view.sort(next ? sorted(rows, column, hasNumbers, next === "ascending" ? 1 : -1) : rows);
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
    const view = views.get(table);
    const { rows } = view;
    const { filter, count, all: every, signs } = table.dataset;
    const input = Object.assign(element("input"), { type: "search", autocomplete: "off" });
    const line = status("");
    const bar = element("div", "filter", element("label", "", filter, " ", input));
    const choices = all("th[data-choice]", table).map((head) => {
      const cells = rows.map((row) => row.cells[head.cellIndex]);
      const sides = head.classList.contains("number") ? signs.split("|") : null; // worse, unchanged, better
      const sideOf = (number) => (number === null ? "" : sides[1 + Math.sign(number)]);
      const texts = cells.map((cell) => (sides ? sideOf(numberOf(cell)) : cell.textContent));
      const values = sides ?? [...new Set(texts)].sort(collator.compare);
      const choice = { value: "" };
      choice.has = (place) => !choice.value || texts[place] === choice.value;
      choice.pick = (value) => {
        choice.value = value;
        chips.forEach((chip, at) => chip.setAttribute("aria-pressed", value === ["", ...values][at]));
        select.value = value;
        narrow();
      };
      const chips = [every, ...values].map((value, at) => button(value, () => choice.pick(at ? value : "")));
      const select = element("select", "", new Option(every, ""), ...values.map((value) => new Option(value, value)));
      select.addEventListener("input", () => choice.pick(select.value));
      const few = values.length < 8;
      const group = element(few ? "span" : "label", "chips", sides ? "" : `${head.textContent} `, ...(few ? chips : [select]));
      group.setAttribute("role", "group");
      group.ariaLabel = head.textContent;
      bar.append(group);
      return choice;
    });
    bar.append(line);
    table.parentElement.before(bar);

    const textOf = (row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase();
    let texts = null; // read on first use
    const places = new Map(rows.map((row, place) => [row, place]));
    const narrow = () => {
      texts ??= rows.map(textOf);
      const wanted = input.value.trim().toLowerCase();
      const holds = (place) => texts[place].includes(wanted) && choices.every(({ has }) => has(place));
      view.chosen = (row) => holds(places.get(row));
      const shown = view.show();
      line.textContent = wanted || choices.some(({ value }) => value) ? filled(count, { shown, all: rows.length }) : "";
    };
    input.addEventListener("input", narrow);
    view.clear = () => {
      input.value = "";
      choices.forEach(({ pick }) => pick(""));
      narrow();
    };
    view.clear();
  };

  const save = (text, type, ending) => {
    const name = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
    const link = Object.assign(element("a"), { download: `${name}.${ending}`, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const copy = (text, control) => {
    const area = Object.assign(element("textarea"), { value: text }); // pages without TLS have no clipboard
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    control.textContent = words.copied;
    setTimeout(() => (control.textContent = words.copy), 2000);
  };

  /** The heads and the rows that filters choose, in their order; minus signs as programs read them. */
  const cellsOf = (table) => {
    const rows = views.get(table)?.found() ?? [...table.tBodies[0].rows];
    const textOf = (cell) => cell.textContent.trim().replace(/\s+/g, " ").replaceAll("\u2212", "-");
    return [table.tHead.rows[0], ...rows].map((row) => [...row.cells].map(textOf));
  };

  /** A field of CSV, which no spreadsheet takes for a formula. */
  const field = (text) => {
    const inert = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
  };

  const makeExportable = (table) => {
    const box = table.parentElement;
    const bar = box.previousElementSibling?.matches(".filter") ? box.previousElementSibling : element("div", "filter");
    const asCSV = () => cellsOf(table).map((row) => `${row.map(field).join(",")}\r\n`).join("");
    const tools = element("span", "tools",
      button(words.copy, (control) => copy(cellsOf(table).map((row) => row.join("\t")).join("\n"), control)),
      button("CSV", () => save(`\ufeff${asCSV()}`, "text/csv", "csv")));
    bar.append(tools);
    box.before(bar);
  };

  const makeSavable = (figure) => {
    const shown = () => all(".chart svg", figure).find((each) => each.getClientRects().length);
    const asSVG = () => new XMLSerializer().serializeToString(shown());
    figure.querySelector("figcaption").after(element("span", "tools", button("SVG", () => save(asSVG(), "image/svg+xml", "svg"))));
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
      const view = views.get(target.closest("table"));
      view?.clear();
      view?.showAll();
    }
    if (target.matches("section")) {
      all(":scope > .fold, :scope > .fold > .rows:first-of-type", target).forEach((each) => (each.open = true));
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
    chart.after(line);
    /** Shows the line next to a point of the window. */
    const place = (x, y) => {
      const { offsetWidth: width, offsetHeight: height } = line;
      line.style.left = `${Math.max(8, Math.min(x + 12, document.documentElement.clientWidth - width - 8))}px`;
      line.style.top = `${y + 20 + height > innerHeight ? y - height - 12 : y + 20}px`;
    };
    drawing.setAttribute("role", "group"); // an image would hide its marks
    const wordsOf = (mark) => {
      const row = rowOf(mark.getAttribute("href").slice(1));
      const heads = row?.closest("table").tHead.rows[0].cells;
      const cells = heads && [...row.cells].map((cell, at) => `${heads[at].textContent}: ${cell.textContent}`);
      return cells?.join(" · ") ?? mark.querySelector("title").textContent;
    };
    const stopAt = (mark) => marks.forEach((each) => each.setAttribute("tabindex", each === mark ? 0 : -1));
    const enter = ({ type, target, clientX, clientY }) => {
      const mark = marks[marks.indexOf(target.closest("a"))];
      if (mark || !target.closest("a")) {
        line.textContent = mark ? wordsOf(mark) : "";
      }
      if (mark && type === "focusin") {
        stopAt(mark);
        const { left, bottom } = mark.getBoundingClientRect();
        place(left, bottom);
      } else if (mark) {
        place(clientX, clientY);
      }
    };
    stopAt(marks[0]);
    ["pointermove", "focusin"].forEach((type) => chart.addEventListener(type, enter));
    ["pointerleave", "focusout"].forEach((type) => chart.addEventListener(type, () => (line.textContent = "")));
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

  all("table.sortable").forEach(makeView);
  all("table.sortable").forEach(makeSortable);
  all("th[title]").forEach(makeHelpful);
  all("table[data-filter]").forEach(makeFilterable);
  all(".table > table").forEach(makeExportable);
  all("figure").forEach(makeSavable);
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
