// The list of sentences: filters, sorting and pages.

const TENTH = 0.1;
const OUTPUTS_A_PAGE = 60;

class Browser {
  constructor(data) {
    this.data = data;
    this.all = data.systems.map((system, position) => ({ ...system, position })).filter(({ kind }) => kind === "system");
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
    this.listen();
    document.querySelector(".controls").hidden = false;
    document.querySelector(".pager").hidden = false;
    this.update();
  }

  role(role) {
    return this.data.scores.find((column) => column.role === role);
  }

  // Each filter: its name, title and help, and a function that returns a test of a sentence. Filters whose score is not in the report are omitted.
  makeFilters() {
    const some = (role, test) => () => (position) => this.shown.some(({ values }) => test(values[role.name]?.[position] ?? null));
    const [splits, compression] = ["splits", "compression"].map((role) => this.role(role));
    const units = `${this.data.facts.unit}s`;
    const filters = [["all", `all ${units}`, "", () => () => true]];
    if (splits) filters.push(["splits", "sentence splits", "a shown output has more sentences than its source", some(splits, (v) => v !== null && v > 1)]);
    if (compression) filters.push(["compressed", "most compressed", `the 10 % of ${units} with the lowest ${compression.title} of the chosen system, or averaged over the shown systems`, () => this.extreme(compression, -1, this.whose)]);
    if (this.data.sentences.some(({ source }) => source !== null)) filters.push(["copies", "exact copies", "a shown output equals its source, as in the score of exact copies", () => (position) => this.shown.some((system) => this.isCopy(system, position))]);
    filters.push(["best", "best", `the 10 % of ${units} with the best value of the chosen score: of the chosen system, or averaged over the shown systems; the highest value for a score without ↑ or ↓`, () => this.extreme(this.column, this.sign, this.whose)]);
    filters.push(["worst", "worst", `the 10 % of ${units} with the worst value`, () => this.extreme(this.column, -this.sign, this.whose)]);
    if (this.all.length > 1) filters.push(["different", "most different", `the 10 % of ${units} with the largest range (maximum − minimum) of the chosen score over the shown systems`, () => this.extreme(this.column, 1, "difference")]);
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
    options("order", [["input", "input order"], ["low", "lowest first"], ["high", "highest first"], ...(this.data.sentences.some((sentence) => wordsOf(sentence, this.data.facts.length_of)) ? [["length", `longest ${this.data.facts.length_of} first`]] : [])]);
    this.byId("filter-help").replaceChildren(...this.filters.filter(({ help }) => help).flatMap(({ title, help }) => [element("dt", {}, title), element("dd", {}, help)]));
    this.byId("systems").prepend(...this.all.map(({ name, position }) => element("label", { dir: "auto" },
      element("input", { type: "checkbox", value: position, checked: this.shown.some((one) => one.position === position) }), ` ${name}`)));
    this.byId("systems-box").hidden = this.all.length < 2;
  }

  listen() {
    const again = () => { this.page = 0; this.update(); };
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
    this.byId("deleted")?.addEventListener("change", ({ target }) => {
      this.list.classList.toggle("without-deleted", !target.checked);
      this.describe();
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
    this.byId("previous").addEventListener("click", () => this.turn(-1));
    this.byId("next").addEventListener("click", () => this.turn(1));
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
    const systems = whose === "mean" || whose === "difference" ? this.shown : this.all.filter(({ position }) => String(position) === whose);
    return Float64Array.from(this.data.sentences, (_, position) => {
      const values = systems.map(({ values: of }) => of[column.name]?.[position] ?? null).filter((value) => value !== null);
      if (!values.length) return NaN;
      if (whose === "difference") return Math.max(...values) - Math.min(...values);
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    });
  }

  // Tests whether a sentence is among the 10 % with the highest (sign 1) or lowest (-1) numbers.
  extreme(column, sign, whose) {
    const keys = this.keys(column, whose);
    const ranked = [...keys.keys()].filter((position) => !Number.isNaN(keys[position])).sort((a, b) => sign * (keys[b] - keys[a]) || a - b);
    const tenth = new Set(ranked.slice(0, Math.ceil(TENTH * this.data.sentences.length)));
    return (position) => tenth.has(position);
  }

  haystack(position) {
    this.haystacks[position] ??= (({ id, source, references, documents }) =>
      [id, source ?? "", ...documents, ...references, ...this.all.map(({ texts }) => texts[position] ?? "")].join("\n").toLowerCase())(this.data.sentences[position]);
    return this.haystacks[position];
  }

  chosen() {
    const query = this.byId("query").value.trim().toLowerCase();
    const filter = this.filters.find(({ name }) => name === this.byId("filter").value);
    const passes = filter.choose();
    const positions = [...this.data.sentences.keys()].filter((position) => passes(position) && (!query || this.haystack(position).includes(query)));
    const order = this.byId("order").value;
    if (order === "input") return positions;
    const keys = order === "length" ? this.data.sentences.map((sentence) => wordsOf(sentence, this.data.facts.length_of)) : this.keys(this.column, this.byId("whose").value);
    const sign = order === "low" ? 1 : -1;
    return positions.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sign * (keys[a] - keys[b]) || a - b);
  }

  get size() {
    return Math.max(3, Math.min(15, Math.floor(OUTPUTS_A_PAGE / Math.max(1, this.shown.length))));
  }

  update() {
    this.positions = this.chosen();
    this.draw();
  }

  draw() {
    const { length } = this.positions;
    const last = Math.max(0, Math.ceil(length / this.size) - 1);
    this.page = Math.min(this.page, last);
    const start = this.page * this.size;
    const end = Math.min(length, start + this.size);
    const columns = [this.column, ...this.main.filter((column) => column !== this.column)].slice(0, 5);
    const list = element("div");
    for (const position of this.positions.slice(start, end)) list.append(sentenceElement(this.data, position, this.shown, columns, this.tags.bind(this)));
    if (!length) list.append(element("p", { class: "quiet" }, `No ${this.data.facts.unit} matches.`));
    this.list.replaceChildren(...list.childNodes);
    fillOutputs(this.data, this.list);
    highlight(this.list, this.byId("query").value.trim().toLowerCase());
    this.byId("systems-box").firstElementChild.textContent = `Systems (${this.shown.length} of ${this.all.length})`;
    this.byId("status").textContent = `${length} of ${counted(this.data.sentences.length, this.data.facts.unit)}`;
    this.byId("where").textContent = length ? `${start + 1}–${end} of ${length}` : "";
    this.byId("previous").disabled = this.page === 0;
    this.byId("next").disabled = this.page === last;
    this.describe();
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
    if (this.byId("ngram")) settings.push(["Matched", text("ngram")]);
    this.byId("choice").replaceChildren(...settings.flatMap(([name, value], position) => [position ? " · " : "", `${name}: `, element("bdi", {}, value)]));
  }

  value(role, system, position) {
    const column = this.role(role);
    return column ? system.values[column.name]?.[position] ?? null : null;
  }

  isCopy(system, position) {
    const value = this.value("copies", system, position);
    return value === null ? this.data.sentences[position].source !== null && system.texts[position]?.trim() === this.data.sentences[position].source.trim() : value > 0;
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
