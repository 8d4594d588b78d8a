// The sentences in buckets by length, score, difference or a field of the rows: how many, and their scores.

const MOST_BUCKETS = 5;
const MOST_VALUES_SHOWN = 30;

class Buckets {
  constructor(data, browser, comparison) {
    this.data = data;
    this.browser = browser;
    this.comparison = comparison;
  }

  start() {
    const options = [];
    if (this.data.wordCounts) options.push(["length", `length of the ${this.data.facts.length_of}`]);
    if (this.comparison) options.push(["difference", "difference B − A"]);
    options.push(...this.data.rowFields.map(({ name }, index) => [`field-${index}`, `field ${name}`]));
    options.push(...this.data.scores.filter(({ main }) => main).map((column) => [`score-${column.name}`, `score ${outputTitle(column)}`]));
    byId("divide").append(...options.map(([value, text]) => element("option", { value }, text)));
    const field = options.find(([value]) => value.startsWith("field-"));
    if (field) byId("divide").value = field[0];
    byId("bucket-score").append(...this.data.scores.map((column) => element("option", { value: column.name }, outputTitle(column))));
    byId("bucket-score").value = (this.browser.main[0] ?? this.data.scores[0]).name;
    byId("divide").addEventListener("input", () => {
      this.browser.limits.delete("bucket");
      this.browser.again();
    });
    byId("bucket-score").addEventListener("input", () => this.browser.again());
  }

  // Returns the buckets: a name, and the positions of their sentences.
  get buckets() {
    const choice = byId("divide").value;
    const key = `${choice} ${choice === "difference" ? ["first", "second", "compared"].map((id) => byId(id).value).join(" ") : ""}`;
    if (this.key !== key) {
      this.key = key;
      this.known = this.divided(choice);
      this.sets = this.known.map(({ positions }) => new Set(positions));
    }
    return this.known;
  }

  divided(choice) {
    if (choice.startsWith("field-")) return this.ofField(this.data.rowFields[Number(choice.slice(6))]);
    if (choice === "length") return this.ofNumbers(this.data.wordCounts, 0);
    if (choice === "difference") return this.ofNumbers(this.comparison.differences, this.comparison.column.output_digits);
    const column = this.data.scores.find(({ name }) => `score-${name}` === choice);
    return column ? this.ofNumbers(this.browser.keys(column, "every"), column.output_digits) : [];
  }

  // Buckets of about equal size; equal numbers are in one bucket.
  ofNumbers(numbers, digits) {
    const order = [...numbers.keys()].filter((position) => !Number.isNaN(numbers[position])).sort((a, b) => numbers[a] - numbers[b] || a - b);
    const found = [];
    for (let start = 0, bucket = 1; start < order.length; bucket++) {
      let end = Math.max(start + 1, Math.floor((order.length * bucket) / MOST_BUCKETS));
      if (bucket >= MOST_BUCKETS) end = order.length;
      while (end < order.length && numbers[order[end]] === numbers[order[end - 1]]) end++;
      const [low, high] = [numbers[order[start]], numbers[order[end - 1]]];
      found.push({ text: low === high ? format(low, digits) : `${format(low, digits)} to ${format(high, digits)}`, positions: order.slice(start, end) });
      start = end;
    }
    return [...found, ...this.without(numbers)];
  }

  without(numbers) {
    const positions = [...numbers.keys()].filter((position) => Number.isNaN(numbers[position]));
    return positions.length ? [{ text: "undefined", positions }] : [];
  }

  ofField({ values, codes }) {
    const sorted = [...values.keys()].sort((a, b) => (typeof values[a] === "number" && typeof values[b] === "number" ? values[a] - values[b] : String(values[a]).localeCompare(String(values[b]))));
    const allNumbers = values.every((value) => typeof value === "number");
    if (allNumbers && values.length > MOST_VALUES_SHOWN && codes.length === 1) {
      const numbers = codes[0].map((code) => (code < 0 ? NaN : values[code]));
      return this.ofNumbers(numbers, values.every(Number.isInteger) ? 0 : 2);
    }
    const found = values.map((value) => ({ text: String(value), positions: [], of: codes.map(() => []) }));
    const missing = { text: "no value", positions: [], of: codes.map(() => []) };
    for (let position = 0; position < this.data.size; position++) {
      const seen = new Set();
      codes.forEach((column, index) => {
        const bucket = found[column[position]] ?? missing;
        bucket.of[index].push(position);
        if (!seen.has(bucket)) bucket.positions.push(position);
        seen.add(bucket);
      });
    }
    return [...sorted.map((index) => found[index]), missing].filter(({ positions }) => positions.length);
  }

  limit(value) {
    const bucket = this.buckets[Number(value)];
    if (!bucket) return null;
    const positions = this.sets[Number(value)];
    return { title: `${byId("divide").selectedOptions[0].textContent}: ${bucket.text}`, test: (position) => positions.has(position) };
  }

  draw() {
    const column = this.data.scores.find(({ name }) => name === byId("bucket-score").value);
    const chosen = this.browser.limits.get("bucket")?.value;
    const systems = this.browser.all;
    byId("buckets-head").replaceChildren(element("th", { scope: "col", class: "left" }, "Bucket"), element("th", { scope: "col" }, `${this.data.facts.unit}s`),
      ...systems.map(({ name }) => element("th", { scope: "col", dir: "auto" }, name)));
    const focused = [...byId("buckets-body").querySelectorAll("button")].indexOf(document.activeElement);
    const shown = this.buckets.slice(0, MOST_VALUES_SHOWN);
    byId("buckets-body").replaceChildren(...shown.map((bucket, index) => this.row(bucket, index, chosen === String(index), column, systems)));
    if (focused >= 0) byId("buckets-body").querySelectorAll("button")[focused]?.focus();
    const more = this.buckets.length - shown.length;
    byId("buckets-more").textContent = more ? `${counted(more, "more value")} not shown.` : "";
  }

  row({ text, positions, of }, index, isChosen, column, systems) {
    const button = element("button", { type: "button", "aria-pressed": String(isChosen), title: isChosen ? "Show all again" : "Show only these" }, element("bdi", {}, text));
    button.addEventListener("click", () => this.browser.setLimit("bucket", isChosen ? null : String(index)));
    const cells = systems.map((system, place) => {
      const { mean, half, count } = meanOf(system.numbers(column.name), of?.length > 1 ? of[place] : positions);
      const digits = Math.max(column.output_digits, count && !Number.isInteger(mean) ? 2 : 0);
      const cell = element("td", {}, element("span", { class: "value" }, format(mean, digits)));
      if (half !== null) cell.append(element("span", { class: "interval" }, `${format(mean - half, digits)} – ${format(mean + half, digits)}`));
      return cell;
    });
    return element("tr", { class: isChosen ? "chosen" : "" }, element("th", { scope: "row" }, button), element("td", {}, String(positions.length)), ...cells);
  }
}
