// The queries of a comparison as a table that sorts and filters, with the lists of both systems.
// Text from data is set as text, and nothing is loaded.

/** Height of a row in pixels, as the style sheet has it, and the rows drawn beyond those in sight. */
const ROW = 28;
const SPARE = 10;

const element = (name, className = "", ...children) => {
  const made = Object.assign(document.createElement(name), { className });
  made.append(...children);
  return made;
};

const shown = (value, sign = "") => {
  if (value === null || Number.isNaN(value)) return "–";
  const text = value.toFixed(4);
  return Number(text) === 0 ? text.replace("-", "") : (value > 0 ? sign : "") + text.replace("-", "−");
};

/** Parts of a text, of which every second one is of words of the query. */
const marked = (className, parts) =>
  element("span", className, ...parts.map((part, at) => (at % 2 ? element("mark", "", part) : part)));

const choice = (label, names, chosen, choose) => {
  const list = element("select");
  list.append(...names.map((name, at) => Object.assign(element("option", "", name), { value: at })));
  list.value = chosen();
  list.addEventListener("change", () => choose(Number(list.value)));
  const whole = element("label", "", `${label} `, list);
  whole.hidden = names.length < 2;
  return { whole, list, refresh: () => (list.value = chosen()) };
};

function render({ model, el }) {
  const words = model.get("words");
  const { ids, texts, about } = model.get("queries");
  const collator = new Intl.Collator(undefined, { numeric: true });
  const haystack = ids.map((id, at) => `${id}\n${texts[at]}\n${about[at]}`.toLowerCase());
  const undo = [];
  const onChange = (name, act) => {
    model.on(`change:${name}`, act);
    undo.push(() => model.off(`change:${name}`, act));
  };
  const save = (values) => {
    Object.entries(values).forEach(([name, value]) => model.set(name, value));
    model.save_changes();
  };

  // --- what is shown ----------------------------------------------------------------------------

  let order = [];
  let sort = { key: "delta", sign: 1 };
  let outcome = 0;
  let anchor = null;
  let numbers = {};

  const readValues = () => {
    const bytes = model.get("values");
    const whole = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const part = (at) => whole.subarray(at * ids.length, (at + 1) * ids.length);
    numbers = { baseline: part(0), system: part(1), delta: part(2) };
  };

  const ofOutcome = (at) => {
    const gain = numbers.delta[at] * model.get("goals")[model.get("measure")];
    return [true, gain > 0, gain < 0, gain === 0][outcome];
  };

  const arrange = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    order = [];
    haystack.forEach((text, at) => {
      if (ofOutcome(at) && wanted.every((word) => text.includes(word))) order.push(at);
    });
    const column = numbers[sort.key] ?? { query: ids, text: texts }[sort.key];
    const compare = numbers[sort.key] ? (a, b) => column[a] - column[b] : (a, b) => collator.compare(column[a], column[b]);
    const lacks = (at) => Number(Number.isNaN(column[at]));
    order.sort((a, b) => lacks(a) - lacks(b) || (lacks(a) ? 0 : sort.sign * compare(a, b)) || a - b);
    scroller.scrollTop = 0;
    drawRows();
    drawCount();
  };

  // --- the table --------------------------------------------------------------------------------

  const keys = ["query", "text", "baseline", "system", "delta"];
  const isNumber = (key) => !["query", "text"].includes(key);
  const heads = keys.map((key) => {
    const button = element("button", "");
    button.type = "button";
    button.addEventListener("click", () => {
      sort = { key, sign: sort.key === key ? -sort.sign : 1 };
      drawHeads();
      arrange();
    });
    return element("th", isNumber(key) ? "number" : key, button);
  });
  const body = element("tbody");
  const table = element("table", "", element("thead", "", element("tr", "", ...heads)), body);
  table.setAttribute("aria-rowcount", ids.length + 1);
  const scroller = element("div", "queries", table);
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", words["Queries"]);

  const drawHeads = () => {
    const [baseline, system] = model.get("pairs")[model.get("pair")];
    const names = { ...words, baseline, system };
    keys.forEach((key, at) => {
      const sorted = sort.key === key;
      heads[at].firstChild.textContent = names[key] + (sorted ? (sort.sign > 0 ? " ▲" : " ▼") : "");
      heads[at].ariaSort = sorted ? (sort.sign > 0 ? "ascending" : "descending") : "none";
    });
  };

  const space = (rows) => {
    const row = element("tr", "space");
    row.style.height = `${rows * ROW}px`;
    row.setAttribute("aria-hidden", "true");
    return row;
  };

  const drawRows = () => {
    const selected = new Set(model.get("selected"));
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - SPARE);
    const last = Math.min(order.length, first + Math.ceil(scroller.clientHeight / ROW) + 2 * SPARE);
    const rows = order.slice(first, last).map((at, place) => {
      const gain = numbers.delta[at] * model.get("goals")[model.get("measure")];
      const side = gain > 0 ? "better" : gain < 0 ? "worse" : "";
      const row = element(
        "tr",
        "",
        element("td", "query", ids[at]),
        element("td", "text", texts[at]),
        element("td", "number", shown(numbers.baseline[at])),
        element("td", "number", shown(numbers.system[at])),
        element("td", `number ${side}`, shown(numbers.delta[at], "+"))
      );
      row.dataset.at = at;
      row.cells[1].title = texts[at];
      row.setAttribute("aria-rowindex", first + place + 2);
      row.setAttribute("aria-selected", selected.has(at));
      row.classList.toggle("shown", at === model.get("shown"));
      return row;
    });
    body.replaceChildren(space(first), ...rows, space(order.length - last));
  };

  const pick = (at, event) => {
    const before = model.get("selected");
    let selected = [at];
    if (event.shiftKey && anchor !== null && order.includes(anchor)) {
      const ends = [order.indexOf(anchor), order.indexOf(at)].sort((a, b) => a - b);
      selected = order.slice(ends[0], ends[1] + 1);
    } else {
      anchor = at;
      if (event.ctrlKey || event.metaKey) {
        selected = before.includes(at) ? before.filter((each) => each !== at) : [...before, at];
      }
    }
    save({ selected, shown: at });
  };

  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-at]");
    if (row) pick(Number(row.dataset.at), event);
  });
  scroller.addEventListener("scroll", () => requestAnimationFrame(drawRows));
  scroller.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !order.length || event.target !== scroller) return;
    event.preventDefault();
    event.stopPropagation();
    const place = order.indexOf(model.get("shown"));
    const next = Math.min(order.length - 1, Math.max(0, place + step));
    const top = next * ROW;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    const below = top + 3 * ROW - scroller.clientHeight;
    if (below > scroller.scrollTop) scroller.scrollTop = below;
    pick(order[next], { shiftKey: event.shiftKey });
  });

  // --- above it ---------------------------------------------------------------------------------

  const names = model.get("pairs").map(([baseline, system]) => `${system} − ${baseline}`);
  const pairs = choice(words["Systems"], names, () => model.get("pair"), (pair) => save({ pair }));
  const measures = choice(words["Measure"], model.get("measures"), () => model.get("measure"), (measure) => save({ measure }));
  const outcomes = choice(words["Show"], ["all queries", "better", "worse", "unchanged"].map((each) => words[each]), () => outcome, (at) => {
    outcome = at;
    arrange();
  });
  const search = Object.assign(element("input"), { type: "search", placeholder: words["Filter by id, text or column"] });
  search.setAttribute("aria-label", words["Filter by id, text or column"]);
  search.addEventListener("input", arrange);
  const count = element("span", "count");
  count.setAttribute("role", "status");
  const all = Object.assign(element("button", "all", words["Select all shown"]), { type: "button" });
  all.addEventListener("click", () => save({ selected: [...order] }));
  const drawCount = () => {
    const [some, every, chosen] = [order, ids, model.get("selected")].map((each) => each.length.toLocaleString("en"));
    count.textContent = `${some} / ${every} · ${words.selected}: ${chosen}`;
  };

  // --- the lists next to it ---------------------------------------------------------------------

  const panel = element("div", "lists");
  panel.setAttribute("aria-live", "polite");
  const drawLists = () => {
    const at = model.get("shown");
    const lists = model.get("lists");
    if (at < 0) {
      panel.replaceChildren(element("p", "hint", words["Select a query to see both lists."]));
      return;
    }
    const title = element("h4", "", texts[at] || ids[at]);
    const more = [texts[at] ? ids[at] : "", about[at]].filter(Boolean).join(" · ");
    panel.replaceChildren(title, element("p", "hint", more));
    if (lists.query !== at) {
      panel.append(element("p", "hint", words["Reading the lists ..."]));
    } else if (lists.error) {
      panel.append(element("p", "hint", lists.error));
    } else {
      panel.append(element("div", "sides", ...lists.sides.map(drawSide)));
    }
  };

  const drawSide = ({ name, documents }) => {
    const list = element("ol");
    list.append(
      ...documents.map((each) => {
        const sign = each.grade === null ? "?" : `${each.grade >= model.get("least") ? "●" : "○"} ${each.grade}`;
        const grade = element("span", "grade", sign);
        const head = element("div", "", grade, " ", element("span", "id", each.id), " ", element("span", "hint", each.move ?? ""));
        return element("li", "", head, marked("title", each.title), marked("text", each.text));
      })
    );
    return element("section", "", element("h5", "", name), documents.length ? list : element("p", "hint", words["nothing returned"]));
  };

  // --- together ---------------------------------------------------------------------------------

  onChange("values", () => {
    readValues();
    drawHeads();
    arrange();
  });
  onChange("selected", () => {
    drawRows();
    drawCount();
  });
  onChange("shown", () => {
    drawRows();
    drawLists();
  });
  onChange("lists", drawLists);
  onChange("pair", pairs.refresh);
  onChange("measure", measures.refresh);
  const bar = element("div", "bar", pairs.whole, measures.whole, outcomes.whole, search, all, count);
  const root = element("div", "rankreport-explore", bar, element("div", "both", scroller, panel));
  el.append(root);
  const sized = new ResizeObserver(drawRows);
  sized.observe(scroller);
  undo.push(() => sized.disconnect());
  readValues();
  drawHeads();
  arrange();
  drawLists();
  return () => undo.forEach((each) => each());
}

export default { render };
