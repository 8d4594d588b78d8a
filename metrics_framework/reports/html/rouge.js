// A page of ROUGE: a summary beside a reference, matched n-grams marked, and the counts that the scores are computed from.

const data = JSON.parse(byId("data").textContent);
const UNITS = { 1: "word", 2: "bigram", 3: "trigram", 4: "4-gram", l: "word" };
const SETTINGS = ["measure", "stemmed", "without", "way"];

class RougePage {
  constructor() {
    this.order = data.instances.map((_, index) => index);
    this.at = 0; // the position in the order of inputs
    this.chosen = 0; // the index of the output
    this.reference = 0; // the index of the reference beside it
    this.word = null; // the side and index of the word pointed at
  }

  start() {
    byId("measure").value = data.options.measure;
    byId("stemmed").checked = data.options.use_porter_stemmer;
    byId("without").checked = data.options.remove_stopwords;
    byId("way").value = data.options.scoring_function;
    document.querySelector("label[for=way]").hidden = data.instances.every(({ outputs }) => outputs.every(({ references }) => references.length < 2));
    byId("whose").append(...data.systems.map((name, index) => element("option", { value: index }, name)));
    document.querySelector(".controls").hidden = false;
    for (const part of document.querySelectorAll(".several")) part.hidden = data.instances.length < 2;
    this.listen();
    this.sort();
  }

  get instance() {
    return data.instances[this.order[this.at]];
  }

  get output() {
    return this.instance.outputs[this.chosen];
  }

  get settings() {
    return { measure: byId("measure").value, stemmed: byId("stemmed").checked, without: byId("without").checked, way: byId("way").value };
  }

  // Returns the matches of an output with each of its references.
  matches(instance, output) {
    const { measure } = this.settings;
    const summary = this.words.of(output.summary);
    return output.references.map((index) => matchOf(summary, this.words.of(instance.references[index]), measure));
  }

  // Sorts the inputs; an input without an output of the chosen system comes last.
  sort() {
    this.words = new Words(data, this.settings);
    const current = this.order[this.at];
    const [order, whose] = [byId("order").value, Number(byId("whose").value)];
    this.order = data.instances.map((_, index) => index);
    if (order !== "input") {
      const sign = order === "low" ? 1 : -1;
      const keys = data.instances.map((instance) => {
        const output = instance.outputs.find(({ system }) => system === whose);
        return output ? scoresOf(combined(this.matches(instance, output), this.settings.way)).f1 : NaN;
      });
      this.order.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sign * (keys[a] - keys[b]) || a - b);
    }
    byId("instance").replaceChildren(...this.order.map((index, position) => element("option", { value: position }, data.instances[index].id)));
    this.open(order === "input" ? this.order.indexOf(current) : 0, order === "input" ? undefined : whose);
  }

  // Opens an input; the system whose summary was shown stays chosen if it has one for this input.
  open(position, system = this.output?.system) {
    this.at = Math.max(0, Math.min(position, this.order.length - 1));
    byId("instance").value = this.at;
    byId("previous").disabled = this.at === 0;
    byId("next").disabled = this.at === this.order.length - 1;
    byId("output").replaceChildren(...this.instance.outputs.map((output, index) => element("option", { value: index }, data.systems[output.system] + (output.kind === "reference" ? " (model summary)" : ""))));
    this.choose(Math.max(0, this.instance.outputs.findIndex((output) => output.system === system)));
  }

  choose(index) {
    this.chosen = index;
    this.reference = 0;
    byId("output").value = index;
    this.draw();
  }

  draw() {
    const { measure, way } = this.settings;
    const unit = UNITS[measure];
    this.word = null;
    this.found = this.matches(this.instance, this.output);
    const match = this.found[this.reference];
    const reference = this.instance.references[this.output.references[this.reference]];
    const count = this.found.length;
    byId("sides").replaceChildren(
      sideElement("summary", data.systems[this.output.system], "summary", this.output.summary, this.words.of(this.output.summary), match.marks.summary),
      sideElement("reference", nameOfReference(this.reference, count), count > 1 ? `of ${count}` : "", reference, this.words.of(reference), match.marks.reference));
    byId("references").replaceChildren(...referenceRows(this.found, way, this.reference));
    const both = combined(this.found, way);
    byId("arithmetic").replaceChildren(...arithmeticOf(both, scoresOf(both)).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
    byId("counts").replaceChildren(...countRows(match, unit[0].toUpperCase() + unit.slice(1)));
    byId("counts-note").textContent = `${this.name} with ${nameOfReference(this.reference, count)}. ${countsNote(match, unit)}`;
    byId("ranking").replaceChildren(...rankingRows(this.ranked(), this.chosen));
    byId("match").textContent = "";
    this.describe(scoresOf(both));
  }

  get name() {
    return `ROUGE-${this.settings.measure.toUpperCase()}`;
  }

  ranked() {
    return this.instance.outputs.map((output, position) => {
      const match = combined(this.matches(this.instance, output), this.settings.way);
      return { name: data.systems[output.system], kind: output.kind, position, match, scores: scoresOf(match) };
    }).sort((a, b) => b.scores.f1 - a.scores.f1 || a.position - b.position);
  }

  describe(scores) {
    const { stemmed, without } = this.settings;
    byId("status").textContent = `${this.name} F1 ${format(scores.f1, DIGITS)}`;
    const settings = [["Input", this.instance.id], ["Summary", data.systems[this.output.system]], ["Measure", this.name], ["Stemming", stemmed ? "yes" : "no"], ["Stop words", without ? "removed" : "kept"], ...(this.found.length > 1 ? [["References", byId("way").selectedOptions[0].textContent]] : [])];
    byId("choice").replaceChildren(...settings.flatMap(([name, value], index) => [index ? " · " : "", `${name}: `, element("bdi", {}, value)]));
  }

  listen() {
    const on = (id, kind, act) => byId(id).addEventListener(kind, act);
    for (const id of [...SETTINGS, "order", "whose"]) on(id, "input", () => this.change(id));
    on("instance", "input", ({ target }) => this.open(Number(target.value)));
    on("output", "input", ({ target }) => this.choose(Number(target.value)));
    on("previous", "click", () => this.open(this.at - 1));
    on("next", "click", () => this.open(this.at + 1));
    document.querySelector(".controls").addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    on("references", "click", ({ target }) => {
      const index = target.closest("button")?.dataset.reference;
      if (index === undefined) return;
      this.reference = Number(index);
      this.draw();
      byId("references").querySelector(`button[data-reference="${index}"]`).focus();
    });
    on("ranking", "click", ({ target }) => {
      const index = target.closest("button")?.dataset.output;
      if (index === undefined) return;
      this.choose(Number(index));
      byId("ranking").querySelector(`button[data-output="${index}"]`).focus();
    });
    on("sides", "pointerover", ({ target }) => this.point(target));
    on("sides", "pointerleave", () => this.mark(null));
    on("sides", "focusout", () => this.mark(null));
    on("sides", "keydown", (event) => this.step(event));
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.mark(null); });
  }

  change(id) {
    const sorted = byId("order").value !== "input";
    if (sorted || id === "order") {
      this.sort();
      return;
    }
    this.words = new Words(data, this.settings);
    this.draw();
  }

  // Goes to the next input whose id or texts contain the text searched for.
  search() {
    const query = byId("query").value.trim().toLowerCase();
    const { length } = this.order;
    for (let step = 1; query && step <= length; step++) {
      const position = (this.at + step) % length;
      const { id, references, outputs } = data.instances[this.order[position]];
      const texts = [id, ...references.flat(), ...outputs.flatMap(({ summary }) => summary)];
      if (texts.some((text) => text.toLowerCase().includes(query))) {
        this.open(position);
        return;
      }
    }
    byId("status").textContent = query ? "no input has this text" : "";
  }

  point(target) {
    const word = target.closest?.(".w");
    this.mark(word ? { side: word.closest(".side").dataset.side, index: Number(word.dataset.index) } : null);
  }

  // Marks a word and the n-grams it is in, in both texts, and describes their counts.
  mark(word) {
    this.word = word;
    for (const one of byId("sides").querySelectorAll(".run, .at")) one.classList.remove("run", "at");
    byId("match").textContent = "";
    if (!word) return;
    const element = byId("sides").querySelector(`[data-side="${word.side}"] [data-index="${word.index}"]`);
    element.classList.add("at");
    const match = this.found[this.reference];
    const keys = match.marks[word.side].get(word.index)?.keys ?? [];
    for (const side of ["summary", "reference"]) {
      for (const [index, mark] of match.marks[side]) {
        if (mark.keys.some((key) => keys.includes(key))) byId("sides").querySelector(`[data-side="${side}"] [data-index="${index}"]`).classList.add("run");
      }
    }
    const rows = [...new Set(keys)].map((key) => match.rows.find((row) => row.key === key));
    byId("match").textContent = rows.map(({ key, summary, reference, counted: count }) => `${key} – summary ${summary}, reference ${reference}, counted ${count}`).join(" · ") || `${element.textContent} – not matched`;
  }

  step(event) {
    const text = event.target.closest?.(".side .text");
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!text || !by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const words = text.querySelectorAll(".w").length;
    const { side } = text.closest(".side").dataset;
    const toRight = getComputedStyle(text).direction === "rtl" ? -by : by;
    const from = this.word?.side === side ? this.word.index : -1;
    if (words) this.mark({ side, index: Math.max(0, Math.min(words - 1, from + toRight)) });
  }
}

offerDownload("rouge.json");
chooseTheme();
new RougePage().start();
