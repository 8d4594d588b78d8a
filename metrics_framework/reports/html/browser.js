// The list of sentences: filters, sorting and pages.

const TENTH = 0.1;
const OUTPUTS_A_PAGE = 60;

class Browser {
  constructor(data) {
    this.data = data;
    this.all = data.systems.filter(({ kind }) => kind === "system");
    this.notes = new Notes(data);
    this.limits = new Map(); // a chosen bar or bucket: "difference" or "bucket" to its name and value
    this.views = {}; // what shows them: "difference" to the comparison, "bucket" to the buckets
    this.shown = this.all.slice(0, this.all.length <= 6 ? 6 : 4);
    this.main = data.scores.filter(({ main }) => main);
    this.page = 0;
    this.haystacks = [];
    this.byId = (id) => document.getElementById(id);
    this.list = this.byId("list");
  }

  start() {
    this.filters = this.makeFilters();
    this.fillControls();
    if (this.all.length > 1) this.views.difference = new Comparison(this.data, this);
    this.views.bucket = new Buckets(this.data, this, this.views.difference);
    for (const view of Object.values(this.views)) view.start();
    if (this.views.difference) this.words = new SharedWords(this.data, this.views.difference, (word) => this.searchFor(word));
    this.listen();
    this.showNotes = startNotes(this.notes, () => this.draw());
    for (const part of document.querySelectorAll(".controls, .pager, #buckets, #link")) part.hidden = false;
    byId("compare").hidden = byId("compare-link").hidden = this.all.length < 2;
    this.state = new State(this);
    const isRestored = this.state.restore();
    this.update();
    this.showNotes();
    if (isRestored) byId("sentences").scrollIntoView();
    addEventListener("hashchange", () => { if (this.state.restore()) { this.update(); this.showNotes(); } });
    this.prepareSearch();
  }

  role(role) {
    return this.data.scores.find((column) => column.role === role);
  }

  // Each filter: its name, title and help, and a function that returns a test of a sentence. Filters whose score is not in the report are omitted.
  makeFilters() {
    const some = (role, test) => () => (position) => this.shown.some(({ value: values }) => test(values(role.name, position)));
    const [splits, compression] = ["splits", "compression"].map((role) => this.role(role));
    const units = `${this.data.facts.unit}s`;
    const filters = [["all", `all ${units}`, "", () => () => true]];
    if (splits) filters.push(["splits", "sentence splits", "a shown output has more sentences than its source", some(splits, (v) => v !== null && v > 1)]);
    if (compression) filters.push(["compressed", "most compressed", `the 10 % of ${units} with the lowest ${compression.title} of the chosen system, or averaged over the shown systems`, () => this.extreme(compression, -1, this.whose)]);
    if (this.data.embedded.has_sources) filters.push(["copies", "exact copies", "a shown output equals its source, as in the score of exact copies", () => (position) => this.shown.some((system) => this.isCopy(system, position))]);
    filters.push(["best", "best", `the 10 % of ${units} with the best value of the chosen score: of the chosen system, or averaged over the shown systems; the highest value for a score without ↑ or ↓`, () => this.extreme(this.column, this.sign, this.whose)]);
    filters.push(["worst", "worst", `the 10 % of ${units} with the worst value`, () => this.extreme(this.column, -this.sign, this.whose)]);
    if (this.all.length > 1) filters.push(["different", "most different", `the 10 % of ${units} with the largest range (maximum − minimum) of the chosen score over the shown systems`, () => this.extreme(this.column, 1, "difference")]);
    filters.push(["noted", "with notes", "a shown output has a rating or a tag of yours", () => (position) => this.shown.some((system) => this.notes.has(system, position))]);
    return filters.map(([name, title, help, choose]) => ({ name, title, help, choose }));
  }

  fillControls() {
    const options = (id, pairs) => this.byId(id).replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
    options("filter", this.filters.map(({ name, title }) => [name, title]));
    options("score", this.data.scores.map(({ name, title }) => [name, title]));
    this.byId("score").value = (this.main[0] ?? this.data.scores[0]).name;
    const whose = this.all.map(({ name, position }) => [String(position), name]);
    if (this.all.length > 1) whose.unshift(["mean", "all shown: mean"], ["difference", "all shown: range"]);
    options("whose", whose);
    options("order", [["input", "input order"], ["low", "lowest first"], ["high", "highest first"], ...(this.all.length > 1 ? [["regressions", "regressions first (B worse than A)"], ["improvements", "improvements first (B better than A)"]] : []), ...(this.data.wordCounts?.some(Boolean) ? [["length", `longest ${this.data.facts.length_of} first`]] : [])]);
    this.byId("filter-help").replaceChildren(...this.filters.filter(({ help }) => help).flatMap(({ title, help }) => [element("dt", {}, title), element("dd", {}, help)]));
    this.byId("systems").prepend(...this.all.map(({ name, position }) => element("label", { dir: "auto" },
      element("input", { type: "checkbox", value: position, checked: this.shown.some((one) => one.position === position) }), ` ${name}`)));
    this.byId("systems-box").hidden = this.all.length < 2;
  }

  listen() {
    const again = () => this.again();
    for (const id of ["query", "filter", "score", "whose", "order"]) this.byId(id).addEventListener("input", again);
    this.byId("every").addEventListener("click", () => {
      for (const box of this.byId("systems").querySelectorAll("input")) box.checked = true;
      this.byId("systems").dispatchEvent(new Event("change"));
    });
    this.byId("systems").addEventListener("change", () => {
      const chosen = [...this.byId("systems").querySelectorAll(":checked")].map(({ value }) => Number(value));
      this.shown = this.all.filter(({ position }) => chosen.includes(position));
      again();
    });
    this.byId("ngram")?.addEventListener("input", () => this.draw());
    this.byId("notes-on").checked = false;
    this.byId("deleted")?.addEventListener("change", ({ target }) => {
      this.list.classList.toggle("without-deleted", !target.checked);
      this.describe();
      this.state.write();
    });
    document.querySelector(".controls").addEventListener("submit", (event) => {
      event.preventDefault();
      if (document.activeElement === this.byId("query")) this.focus(this.list.querySelector(".sentence"));
    });
    this.byId("query").addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || !event.target.value) return;
      event.preventDefault(); // browsers empty the field without an input event, or not at all
      event.stopPropagation();
      event.target.value = "";
      again();
    });
    for (const button of document.querySelectorAll(".listed")) {
      button.addEventListener("click", () => {
        this.byId("sentences").scrollIntoView();
        this.list.querySelector(".sentence")?.focus({ preventScroll: true });
      });
    }
    this.byId("previous").addEventListener("click", () => this.turn(-1));
    this.byId("next").addEventListener("click", () => this.turn(1));
  }

  again() {
    this.page = 0;
    this.update();
  }

  // Shows only the sentences of a bar or bucket; null shows all again.
  setLimit(name, value) {
    if (value === null) this.limits.delete(name);
    else this.limits.set(name, { name, value });
    this.again();
  }

  searchFor(word) {
    this.byId("query").value = word;
    this.again();
    this.byId("sentences").scrollIntoView();
    this.byId("query").focus({ preventScroll: true });
  }

  get column() {
    return this.data.scores.find(({ name }) => name === this.byId("score").value);
  }

  // The system whose scores choose and sort the sentences; "mean" for all shown systems, and for their range.
  get whose() {
    const { value } = this.byId("whose");
    return value === "difference" ? "mean" : value;
  }

  get sign() {
    return this.column.better === "lower" ? -1 : 1;
  }

  // Returns a number per sentence: the score of a system, or the mean or range over the shown systems; NaN if undefined.
  keys(column, whose) {
    const systems = whose === "every" ? this.all : whose === "mean" || whose === "difference" ? this.shown : this.all.filter(({ position }) => String(position) === whose);
    const columns = systems.map((system) => system.numbers(column.name)).filter(Boolean);
    const keys = new Float64Array(this.data.size);
    for (let position = 0; position < keys.length; position++) {
      let [count, sum, low, high] = [0, 0, Infinity, -Infinity];
      for (const values of columns) {
        const value = values[position];
        if (Number.isNaN(value)) continue;
        count++;
        sum += value;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      keys[position] = !count ? NaN : whose === "difference" ? high - low : sum / count;
    }
    return keys;
  }

  // Tests whether a sentence is among the 10 % with the highest (sign 1) or lowest (-1) numbers.
  extreme(column, sign, whose) {
    const keys = this.keys(column, whose);
    const ranked = [...keys.keys()].filter((position) => !Number.isNaN(keys[position])).sort((a, b) => sign * (keys[b] - keys[a]) || a - b);
    const tenth = new Set(ranked.slice(0, Math.ceil(TENTH * this.data.size)));
    return (position) => tenth.has(position);
  }

  haystack(position) {
    this.haystacks[position] ??= (({ id, source, references, documents }) =>
      [id, source ?? "", ...documents, ...references, ...this.all.map((system) => system.text(position) ?? "")].join("\n").toLowerCase())(this.data.sentence(position));
    return this.haystacks[position];
  }

  // Reads all texts before the first search, whenever the browser is idle.
  prepareSearch(start = 0) {
    const idle = globalThis.requestIdleCallback ?? ((action) => setTimeout(() => action({ timeRemaining: () => 10 }), 50));
    idle((deadline) => {
      let position = start;
      while (position < this.data.size && deadline.timeRemaining() > 2) this.haystack(position++);
      if (position < this.data.size) this.prepareSearch(position);
    });
  }

  chosen() {
    const query = this.byId("query").value.trim().toLowerCase();
    const filter = this.filters.find(({ name }) => name === this.byId("filter").value);
    const passes = filter.choose();
    const limits = [...this.limits.values()].map(({ name, value }) => this.views[name].limit(value));
    const positions = [];
    for (let position = 0; position < this.data.size; position++) {
      if (passes(position) && limits.every(({ test }) => test(position)) && (!query || this.haystack(position).includes(query))) positions.push(position);
    }
    const order = this.byId("order").value;
    if (order === "input") return positions;
    const keys = this.orderKeys(order);
    const sign = order === "low" || order === "regressions" ? 1 : -1;
    return positions.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sign * (keys[a] - keys[b]) || a - b);
  }

  orderKeys(order) {
    if (order === "length") return this.data.wordCounts;
    if (order !== "regressions" && order !== "improvements") return this.keys(this.column, this.byId("whose").value);
    const { differences, sign } = this.views.difference;
    return differences.map((difference) => sign * difference);
  }

  get size() {
    return Math.max(3, Math.min(15, Math.floor(OUTPUTS_A_PAGE / Math.max(1, this.shown.length))));
  }

  update() {
    for (const name of this.limits.keys()) if (!this.views[name].limit(this.limits.get(name).value)) this.limits.delete(name);
    this.positions = this.chosen();
    for (const view of Object.values(this.views)) view.draw();
    this.words?.update();
    this.draw();
  }

  draw() {
    const { length } = this.positions;
    const last = Math.max(0, Math.ceil(length / this.size) - 1);
    this.page = Math.min(this.page, last);
    const start = this.page * this.size;
    const end = Math.min(length, start + this.size);
    const columns = [this.column, ...this.main.filter((column) => column !== this.column)].slice(0, 5);
    const notes = this.byId("notes-on").checked ? (system, position) => this.notes.element(system, position, () => this.showNotes()) : null;
    const list = element("div");
    for (const position of this.positions.slice(start, end)) list.append(sentenceElement(this.data, position, this.shown, columns, this.tags.bind(this), notes));
    if (!length) list.append(element("p", { class: "quiet" }, `No ${this.data.facts.unit} matches.`));
    this.list.replaceChildren(...list.childNodes);
    fillOutputs(this.data, this.list);
    highlight(this.list, this.byId("query").value.trim().toLowerCase());
    this.byId("systems-box").firstElementChild.textContent = `Systems (${this.shown.length} of ${this.all.length})`;
    this.byId("status").textContent = `${length} of ${counted(this.data.size, this.data.facts.unit)}`;
    this.byId("where").textContent = length ? `${start + 1}–${end} of ${length}` : "";
    this.byId("previous").disabled = this.page === 0;
    this.byId("next").disabled = this.page === last;
    this.drawLimits();
    this.describe();
    this.state?.write();
  }

  // Lists the chosen bars and buckets, each with a button that shows all sentences again.
  drawLimits() {
    const chips = [...this.limits.values()].map(({ name, value }) => {
      const button = element("button", { type: "button", "aria-label": `Remove the choice ${this.views[name].limit(value).title}` }, element("bdi", {}, this.views[name].limit(value).title), " ×");
      button.addEventListener("click", () => this.setLimit(name, null));
      return button;
    });
    this.byId("limits").replaceChildren(...chips);
    for (const button of document.querySelectorAll(".listed")) {
      button.hidden = !chips.length;
      button.textContent = `${this.positions.length} of ${counted(this.data.size, this.data.facts.unit)} listed ↓`;
    }
  }

  // Describes the selection in one line for print, where the controls are hidden.
  describe() {
    const text = (id) => this.byId(id).selectedOptions[0].textContent;
    const settings = [
      [byId("sentences-title").textContent, this.byId("where").textContent || "none"], ["Show", text("filter")], ["Score", `${text("score")} of ${text("whose")}`],
      ["Sort", text("order")], ["Search", this.byId("query").value.trim() || "nothing"],
    ];
    if (this.shown.length < this.all.length) settings.push(["Systems", this.shown.map(({ name }) => name).join(", ") || "none"]);
    if (this.byId("deleted")?.checked === false) settings.push(["Deleted words", "hidden"]);
    for (const { name, value } of this.limits.values()) settings.push(["Only", this.views[name].limit(value).title]);
    if (this.byId("ngram")) settings.push(["Matched", text("ngram")]);
    this.byId("choice").replaceChildren(...settings.flatMap(([name, value], position) => [position ? " · " : "", `${name}: `, element("bdi", {}, value)]));
  }

  value(role, system, position) {
    const column = this.role(role);
    return column ? system.value(column.name, position) : null;
  }

  isCopy(system, position) {
    const value = this.value("copies", system, position);
    return value === null ? this.data.sentence(position).source !== null && system.text(position)?.trim() === this.data.sentence(position).source.trim() : value > 0;
  }

  // Returns the tags of an output.
  tags(system, position) {
    const isSplit = (this.value("splits", system, position) ?? 1) > 1;
    return [...(this.isCopy(system, position) ? ["copy"] : []), ...(isSplit ? ["split"] : [])];
  }

  turn(step, focusLast = false) {
    const before = this.page;
    this.page = Math.max(0, Math.min(this.page + step, Math.ceil(this.positions.length / this.size) - 1));
    if (this.page === before) return;
    this.draw();
    const items = this.list.querySelectorAll(".sentence");
    this.focus(items[focusLast ? items.length - 1 : 0]);
  }

  // Focuses the next or previous sentence, turning the page if necessary.
  step(by) {
    const items = [...this.list.querySelectorAll(".sentence")];
    const current = items.indexOf(document.activeElement.closest?.(".sentence"));
    const next = items[current < 0 ? 0 : current + by];
    if (next) this.focus(next);
    else this.turn(by, by < 0);
  }

  focus(item) {
    item?.focus({ preventScroll: true });
    item?.scrollIntoView({ block: "nearest" });
  }
}

// Highlights the matches of the search without changing the texts.
function highlight(list, query) {
  if (!globalThis.Highlight || !CSS.highlights) return;
  CSS.highlights.delete("found");
  if (!query) return;
  const ranges = [];
  for (const text of list.querySelectorAll(".text")) {
    const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const [ends, all] = [[], []];
    let content = "";
    while (nodes.nextNode()) {
      content += nodes.currentNode.data;
      all.push(nodes.currentNode);
      ends.push(content.length);
    }
    const lower = content.toLowerCase();
    if (lower.length !== content.length) continue; // lowercasing changed the length (rare), so positions do not match
    for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, at + query.length)) {
      const point = (position) => { const node = ends.findIndex((end) => end >= position); return [all[node], position - (node ? ends[node - 1] : 0)]; };
      const range = new Range();
      range.setStart(...point(at));
      range.setEnd(...point(at + query.length));
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}
