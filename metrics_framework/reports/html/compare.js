// Two systems compared: differences of the scores of their outputs, and how many are better, equal or worse.

class Comparison {
  constructor(data, browser) {
    this.data = data;
    this.browser = browser;
    this.systems = browser.all;
  }

  start() {
    const systems = this.systems.map(({ name, position }) => element("option", { value: position }, name));
    byId("first").append(...systems.map((option) => option.cloneNode(true)));
    byId("second").append(...systems);
    byId("second").value = this.systems[1].position;
    byId("compared").append(...this.data.scores.map((column) => element("option", { value: column.name }, outputTitle(column))));
    byId("compared").value = (this.data.scores.find(({ main, better }) => main && better) ?? this.browser.main[0] ?? this.data.scores[0]).name;
    for (const id of ["first", "second", "compared"]) {
      byId(id).addEventListener("input", () => {
        this.browser.limits.delete("difference");
        this.browser.again();
      });
    }
    byId("swap").addEventListener("click", () => {
      [byId("first").value, byId("second").value] = [byId("second").value, byId("first").value];
      this.browser.limits.delete("difference");
      this.browser.again();
    });
    byId("regressions").addEventListener("click", () => {
      byId("order").value = "regressions";
      this.browser.again();
      byId("sentences").scrollIntoView();
      byId("order").focus({ preventScroll: true });
    });
    moveWithArrows(byId("differences"), ".histogram-bar:enabled");
  }

  get column() {
    return this.data.scores.find(({ name }) => name === byId("compared").value);
  }

  get pair() {
    return ["first", "second"].map((id) => this.data.systems[byId(id).value]);
  }

  // 1 if a positive difference, of B minus A, means that B is better; -1 if worse.
  get sign() {
    return this.column.better === "lower" ? -1 : 1;
  }

  // The score of B minus that of A for each sentence; NaN where one is undefined.
  get differences() {
    const key = ["first", "second", "compared"].map((id) => byId(id).value).join(" ");
    if (this.key !== key) {
      const [a, b] = this.pair.map((system) => system.numbers(this.column.name));
      this.key = key;
      this.known = Float64Array.from({ length: this.data.size }, (_, position) => (a && b ? b[position] - a[position] : NaN));
      this.ends = binsOf(this.known);
      if (this.ends.length > 2 && new Set(this.known).size <= 1) this.ends = [];
    }
    return this.known;
  }

  text(bin) {
    const digits = this.column.output_digits || (Number.isInteger(this.ends[0]) && Number.isInteger(this.ends[1]) ? 0 : 2);
    return `${format(this.ends[bin], digits)} to ${format(this.ends[bin + 1], digits)}`;
  }

  // Returns the test of the sentences of a chosen bar, and its name.
  limit(value) {
    const { differences } = this;
    const bin = Number(value);
    if (!(Number.isInteger(bin) && bin >= 0 && bin < this.ends.length - 1)) return null;
    return { title: `difference ${this.text(bin)}`, test: (position) => binOf(this.ends, differences[position]) === bin };
  }

  draw() {
    const { differences, column, sign } = this;
    const [a, b] = this.pair;
    const digits = Math.max(column.output_digits, 2);
    const counts = { better: 0, equal: 0, worse: 0 };
    for (const difference of differences) {
      if (Number.isNaN(difference)) continue;
      counts[difference === 0 ? "equal" : sign * difference > 0 ? "better" : "worse"]++;
    }
    const total = counts.better + counts.equal + counts.worse;
    const judged = Boolean(column.better);
    const names = judged ? { better: "B better", equal: "equal", worse: "B worse" } : { better: "B higher", equal: "equal", worse: "B lower" };
    const cells = Object.entries(names).map(([kind, name]) => {
      const [low, high] = wilson(counts[kind], total).map((share) => (share === null ? "–" : (100 * share).toFixed(1)));
      return element("tr", {}, element("th", { scope: "row", class: kind }, name), element("td", {}, String(counts[kind])),
        element("td", {}, total ? `${((100 * counts[kind]) / total).toFixed(1)} %` : "–"), element("td", {}, `${low} to ${high} %`));
    });
    byId("wins").replaceChildren(...cells);
    byId("colours").textContent = judged ? "Green: B is better. Red: B is worse." : `The direction of ${outputTitle(column)} is unknown, so no bar is coloured.`;
    const { mean, half } = meanOf(differences, differences.keys());
    const compared = `${counted(total, this.data.facts.unit)} with both outputs`;
    const interval = half === null ? "" : ` (95 % interval ${format(mean - half, digits)} to ${format(mean + half, digits)})`;
    byId("difference-mean").replaceChildren("Mean of ", element("bdi", {}, b.name), " − ", element("bdi", {}, a.name), ` under ${outputTitle(column)}: ${format(mean, digits)}${interval}, on ${compared}.${this.ofAll(column, a, b)}`);
    this.drawBars(differences);
  }

  // States the difference of the scores in the table, if they are not means of the scores of outputs.
  ofAll({ name, title, aggregate, digits }, a, b) {
    const [first, second] = [a, b].map(({ scores }) => scores[name].value);
    if (aggregate !== "corpus" || first === null || second === null) return "";
    return ` In the table, where ${title} is computed from all outputs together, the difference is ${format(second - first, Math.max(digits, 2))}.`;
  }

  drawBars(differences) {
    const counts = new Array(Math.max(0, this.ends.length - 1)).fill(0);
    for (const difference of differences) if (!Number.isNaN(difference)) counts[binOf(this.ends, difference)]++;
    const chosen = this.browser.limits.get("difference")?.value;
    const bins = counts.map((count, bin) => {
      const middle = (this.sign * (this.ends[bin] + this.ends[bin + 1])) / 2;
      const kind = !this.column.better || middle === 0 ? "" : middle > 0 ? "good" : "bad";
      return { text: this.text(bin), count, kind, value: String(bin), isChosen: chosen === String(bin), unit: this.data.facts.unit };
    });
    const focused = [...byId("differences").querySelectorAll("button")].indexOf(document.activeElement);
    byId("differences").replaceChildren(histogramElement(`Differences of ${outputTitle(this.column)}, B − A`, bins, (value, isChosen) => {
      this.browser.setLimit("difference", isChosen ? null : value);
    }));
    if (focused >= 0) byId("differences").querySelectorAll("button")[focused]?.focus();
    byId("axis").replaceChildren(...(this.ends.length ? [this.ends[0], this.ends.at(-1)] : []).map((end) => element("span", {}, String(end))));
    const zero = element("span", { class: "zero" }, "0");
    if (this.ends[0] < 0 && this.ends.at(-1) > 0) {
      zero.style.insetInlineStart = `${(100 * -this.ends[0]) / (this.ends.at(-1) - this.ends[0])}%`;
      byId("axis").append(zero);
    }
  }
}
