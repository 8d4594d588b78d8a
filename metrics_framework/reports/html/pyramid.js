// A page of pyramids: tiers of content units, their contributors marked in the summaries, and the arithmetic of the score.

const data = JSON.parse(byId("data").textContent);
const DIGITS = 4;

class PyramidPage {
  constructor() {
    this.at = 0; // the index of the pyramid
    this.chosen = 0; // the index of the scored summary
    this.kept = null; // the unit whose marks were kept by a click
  }

  start() {
    this.fill("instance", data.pyramids.map(({ instance, models }, index) => [index, this.isRepeated(instance) ? `${instance} (${models.map(({ name }) => name).join(", ")})` : instance]));
    byId("instance").addEventListener("input", ({ target }) => this.open(Number(target.value)));
    byId("summary").addEventListener("input", ({ target }) => this.choose(Number(target.value)));
    byId("previous").addEventListener("click", () => this.open(this.at - 1));
    byId("next").addEventListener("click", () => this.open(this.at + 1));
    document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
    document.querySelector(".controls").hidden = false;
    document.querySelector(".pair").hidden = data.pyramids.length < 2;
    this.listen();
    this.open(0);
  }

  isRepeated(instance) {
    return data.pyramids.filter((one) => one.instance === instance).length > 1;
  }

  fill(id, pairs) {
    byId(id).replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
  }

  get pyramid() {
    return data.pyramids[this.at];
  }

  get summary() {
    return this.pyramid.summaries[this.chosen];
  }

  // Opens a pyramid; the system whose summary was shown stays chosen if it has one for this input.
  open(at) {
    const name = this.at === at ? undefined : this.pyramid.summaries[this.chosen]?.name;
    this.at = Math.max(0, Math.min(at, data.pyramids.length - 1));
    byId("instance").value = this.at;
    byId("previous").disabled = this.at === 0;
    byId("next").disabled = this.at === data.pyramids.length - 1;
    const { summaries } = this.pyramid;
    this.fill("summary", summaries.map((one, index) => [index, `${one.name}${one.kind === "reference" ? " (model summary)" : ""} – ${format(one.score, DIGITS)}`]));
    this.choose(Math.max(0, summaries.findIndex((one) => one.name === name)));
  }

  choose(index) {
    this.chosen = index;
    this.kept = null;
    byId("summary").value = index;
    const covered = new Set(this.summary.units.map(({ unit }) => unit));
    this.units = this.weighted().map((unit) => ({ ...unit, covered: covered.has(unit.index) }));
    byId("tiers").replaceChildren(shapeOf(this.tiers()), ...this.tiers().map(tierElement));
    const [first] = byId("tiers").querySelectorAll(".unit");
    if (first) first.tabIndex = 0;
    byId("summaries").replaceChildren(...this.summaryElements());
    byId("arithmetic").replaceChildren(...arithmeticOf(this.units, this.summary, this.pyramid).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
    byId("ranking").replaceChildren(...rankingOf(this.pyramid, this.chosen));
    byId("contributors").replaceChildren(...contributorsOf(this.units, this.pyramid, this.summary));
    this.describe();
    this.mark([]);
  }

  // Returns the units with their weights in the pyramid that the chosen summary is scored against.
  weighted() {
    const out = this.summary.left_out;
    return this.pyramid.units.map((unit, index) => ({ ...unit, index, weight: unit.contributors.filter(({ model }) => model !== out).length })).filter(({ weight }) => weight > 0);
  }

  // Returns the weights, highest first, with their units.
  tiers() {
    const weights = [...new Set(this.units.map(({ weight }) => weight))].sort((a, b) => b - a);
    return weights.map((weight) => ({ weight, units: this.units.filter((unit) => unit.weight === weight) }));
  }

  summaryElements() {
    const { name, segments, kind, left_out: out } = this.summary;
    const scored = summaryElement(name, kind === "reference" ? "model summary, scored against the others" : "scored summary", segments, true);
    const models = this.pyramid.models.map((model, index) => summaryElement(model.name, "model summary", model.segments)).filter((_, index) => index !== out);
    return [scored, ...models];
  }

  describe() {
    const covered = this.units.filter((unit) => unit.covered);
    byId("status").textContent = `${covered.length} of ${counted(this.units.length, "unit")} covered, score ${format(this.summary.score, DIGITS)}`;
    byId("choice").replaceChildren("Input: ", element("bdi", {}, this.pyramid.instance), " · Scored summary: ", element("bdi", {}, this.summary.name));
  }

  listen() {
    const unitOf = (target) => target.closest?.("[data-unit]")?.dataset.unit;
    const tiers = byId("tiers");
    for (const kind of ["pointerover", "focusin"]) {
      tiers.addEventListener(kind, ({ target }) => { if (unitOf(target)) this.mark([Number(unitOf(target))]); });
    }
    for (const part of [tiers, byId("summaries")]) part.addEventListener("pointerleave", () => this.restore());
    tiers.addEventListener("focusout", () => this.restore());
    tiers.addEventListener("click", ({ target }) => { if (unitOf(target)) this.keep(Number(unitOf(target))); });
    tiers.addEventListener("keydown", (event) => this.step(event));
    byId("summaries").addEventListener("pointerover", ({ target }) => {
      const units = target.closest?.("[data-units]")?.dataset.units;
      if (units) this.mark(units.split(" ").map(Number));
      else this.restore();
    });
    byId("ranking").addEventListener("click", ({ target }) => {
      const row = target.closest("button")?.dataset.summary;
      if (row === undefined) return;
      this.choose(Number(row));
      byId("ranking").querySelector(`button[data-summary="${row}"]`).focus();
    });
    document.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.kept = null;
      this.mark([]);
    });
  }

  // Keeps the marks of a unit; a second click removes them.
  keep(unit) {
    this.kept = this.kept === unit ? null : unit;
    this.mark([unit]);
  }

  restore() {
    this.mark(this.kept === null ? [] : [this.kept]);
  }

  // Marks units in the tiers and in all summaries, and describes them.
  mark(units) {
    const isMarked = (list) => list.split(" ").some((unit) => units.includes(Number(unit)));
    for (const one of document.querySelectorAll("#tiers [data-unit]")) {
      one.classList.toggle("at", isMarked(one.dataset.unit));
      if (one.matches("button")) one.setAttribute("aria-pressed", String(this.kept === Number(one.dataset.unit)));
    }
    for (const one of document.querySelectorAll("#summaries [data-units]")) one.classList.toggle("run", isMarked(one.dataset.units));
    byId("match").textContent = units.slice(0, 3).map((index) => this.sentence(index)).filter(Boolean).join(" · ");
  }

  sentence(index) {
    const unit = this.units.find((one) => one.index === index);
    if (!unit) return "";
    const names = unit.contributors.filter(({ model }) => model !== this.summary.left_out).map(({ model }) => this.pyramid.models[model].name);
    return `${unit.label || `unit ${unit.id}`} – weight ${unit.weight}: ${names.join(", ")}${unit.covered ? "; covered" : "; missed"}`;
  }

  step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const buttons = [...byId("tiers").querySelectorAll(".unit")];
    const next = buttons[buttons.indexOf(document.activeElement) + by];
    if (!next) return;
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }
}

offerDownload("pyramids.json");
chooseTheme();
new PyramidPage().start();
