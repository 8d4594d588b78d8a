// The page around the list: sortable tables, the choice of scores, theme, download, keyboard, matches on hover.

const data = new ReportData();

function sortTables() {
  for (const table of document.querySelectorAll("#scores, table.lengths")) {
    for (const head of table.tHead.rows[0].cells) {
      head.setAttribute("aria-sort", "none");
      head.addEventListener("click", () => sortBy(table, head));
    }
  }
}

// Sorts the rows of each body by a column, best first; a second click reverses the order.
function sortBy(table, head) {
  const better = data.scores.find(({ name }) => name === head.dataset.key)?.better;
  const first = head.dataset.key === "name" || better === "lower" ? "ascending" : "descending";
  const other = first === "ascending" ? "descending" : "ascending";
  const direction = head.getAttribute("aria-sort") === first ? other : first;
  for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", cell === head ? direction : "none");
  const sign = direction === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => [sortKey(table, head, data.systems[row.dataset.system]), row]);
    rows.sort(([a], [b]) => (a === null) - (b === null) || sign * (typeof a === "string" ? a.localeCompare(b) : a - b));
    body.append(...rows.map(([, row]) => row));
  }
}

function sortKey(table, { dataset: { key } }, system) {
  if (key === "name") return system.name;
  if (table.id === "scores") return system.scores[key].value;
  return system.by_length[table.closest("[data-score]").dataset.score][Number(key)];
}

function chooseComponents() {
  if (data.scores.every(({ main }) => main)) return;
  byId("components-label").hidden = false;
  const show = () => byId("scores").classList.toggle("with-components", byId("components").checked);
  byId("components").addEventListener("change", show);
  show();
}

function chooseLengths() {
  const parts = [...document.querySelectorAll("#lengths [data-score]")];
  const select = byId("length-score");
  select.append(...parts.map(({ dataset: { score } }) => element("option", { value: score }, data.scores.find(({ name }) => name === score).title)));
  const show = () => parts.forEach((part) => { part.hidden = part.dataset.score !== select.value; });
  select.addEventListener("input", show);
  select.closest("label").hidden = parts.length < 2;
  show();
}

// Shows the longest run around the word pointed at that is also in a reference.
class Matches {
  constructor(list) {
    this.list = list;
    this.box = byId("match");
    this.runs = new Map();
    list.addEventListener("pointerover", ({ target }) => this.point(target));
    list.addEventListener("pointerleave", () => this.clear());
    list.addEventListener("focusout", () => this.clear());
    list.addEventListener("keydown", (event) => this.key(event));
  }

  point(target) {
    const word = target.closest?.(".w");
    if (word?.closest(".output")) this.show(word);
    else if (!target.closest?.(".output .text")) this.clear();
  }

  clear() {
    this.list.querySelectorAll(".run, .at").forEach((word) => word.classList.remove("run", "at"));
    this.box.textContent = "";
  }

  show(word) {
    this.clear();
    const text = word.closest(".text");
    const sentence = word.closest(".sentence");
    const { references } = data.sentence(Number(sentence.dataset.position));
    word.classList.add("at");
    if (!references.length) return;
    const { position } = sentence.dataset;
    if (!this.runs.has(position)) this.runs.set(position, runsOf(references));
    const words = [...text.querySelectorAll(".w")];
    const keys = words.map(({ textContent }) => textContent.toLowerCase());
    const found = runAround(keys, words.indexOf(word), this.runs.get(position));
    if (!found) {
      this.box.textContent = `${word.textContent} – in no reference`;
      return;
    }
    const run = words.slice(found.start, found.start + found.size);
    run.forEach((one) => one.classList.add("run"));
    const where = found.numbers.length === references.length ? (references.length > 1 ? "in all references" : "in the reference")
      : `in reference${found.numbers.length > 1 ? "s" : ""} ${found.numbers.map((number) => number + 1).join(", ")}`;
    this.box.textContent = `${run.map(({ textContent }) => textContent).join(" ")} – ${where}`;
    this.showInReferences(sentence, keys.slice(found.start, found.start + found.size));
  }

  showInReferences(sentence, keys) {
    for (const reference of sentence.querySelectorAll(".references li")) {
      const words = [...reference.querySelectorAll(".w")];
      const referenceKeys = words.map(({ textContent }) => textContent.toLowerCase());
      for (let position = 0; position + keys.length <= referenceKeys.length; position++) {
        if (keys.every((key, index) => referenceKeys[position + index] === key)) {
          words.slice(position, position + keys.length).forEach((word) => word.classList.add("run"));
        }
      }
    }
  }

  key(event) {
    const text = event.target.closest?.(".output .text");
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!text || !by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const words = [...text.querySelectorAll(".w")];
    const step = getComputedStyle(text).direction === "rtl" ? -by : by;
    const next = words[Math.max(0, Math.min(words.length - 1, words.findIndex((word) => word.classList.contains("at")) + step))];
    if (next) this.show(next);
  }
}

// Lets the reader disable single-character keys, which speech input may press unintentionally.
function chooseKeys() {
  const box = byId("keys");
  const show = () => byId("query").toggleAttribute("aria-keyshortcuts", box.checked) && byId("query").setAttribute("aria-keyshortcuts", "/");
  box.checked = remembered("keys") !== "off";
  box.addEventListener("change", () => {
    remember("keys", box.checked ? "on" : "off");
    show();
  });
  show();
}

function listenToKeys(browser, matches) {
  const toggle = () => {
    const references = document.activeElement.closest?.(".sentence")?.querySelector(".references");
    if (references) references.open = !references.open;
  };
  const anywhere = {
    "/": () => { byId("query").focus(); byId("query").select(); },
    j: () => browser.step(1), k: () => browser.step(-1), n: () => browser.turn(1), p: () => browser.turn(-1), r: toggle,
  };
  const inList = { ArrowDown: () => browser.step(1), ArrowUp: () => browser.step(-1) };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape") {
      matches.clear();
      if (field) byId("list").querySelector(".sentence")?.focus();
      return;
    }
    const typed = byId("keys").checked ? anywhere[event.key] : null;
    const action = field ? null : typed ?? (event.target.closest?.(".list") ? inList[event.key] : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// In a frame without an address, a link to a part of the page would load the page around the frame, and views have none.
function followLinks() {
  if (location.protocol !== "about:") return;
  byId("link").hidden = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    byId(link.hash.slice(1))?.scrollIntoView();
  });
}

if (data.facts.files.length) {
  byId("files").append("Files: ", ...data.facts.files.flatMap((name, position) => [position ? ", " : "", element("bdi", {}, name)]));
}
sortTables();
chooseComponents();
chooseLengths();
chooseTheme();
chooseKeys();
offerDownload("report.json", () => JSON.stringify(data.whole()));
const browser = new Browser(data);
browser.start();
followLinks();
listenToKeys(browser, new Matches(byId("list")));
