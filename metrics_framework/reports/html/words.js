// Words that only one of two systems shares with the references, counted in time slices so that the page stays quick.

const SLICE = 30; // milliseconds
const MOST_WORDS = 15;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:['’\-][\p{L}\p{N}\p{M}]+)*/gu;

const wordSet = (text) => new Set((text ?? "").toLowerCase().match(WORDS) ?? []);

class SharedWords {
  constructor(data, comparison, search) {
    this.data = data;
    this.comparison = comparison;
    this.search = search;
    this.run = 0;
    byId("words").addEventListener("toggle", () => this.update());
  }

  // Counts again if the part is open and other systems were chosen.
  update() {
    const pair = this.comparison.pair.map(({ position }) => position).join(" ");
    if (!byId("words").open || this.counted === pair) return;
    this.counted = pair;
    this.count([new Map(), new Map()], 0, ++this.run);
  }

  count(counts, start, run) {
    if (run !== this.run) return;
    const end = performance.now() + SLICE;
    let position = start;
    for (; position < this.data.size && performance.now() < end; position++) this.add(counts, position);
    const isDone = position >= this.data.size;
    byId("words-status").textContent = isDone ? "" : `${Math.floor((100 * position) / this.data.size)} % read`;
    if (isDone) this.draw(counts);
    else setTimeout(() => this.count(counts, position, run));
  }

  add(counts, position) {
    const texts = this.comparison.pair.map((system) => system.text(position));
    if (texts.includes(null)) return;
    const known = wordSet(this.data.sentence(position).references.join("\n"));
    const [a, b] = texts.map(wordSet);
    for (const [own, other, of] of [[a, b, counts[0]], [b, a, counts[1]]]) {
      for (const word of own) if (!other.has(word) && known.has(word)) of.set(word, (of.get(word) ?? 0) + 1);
    }
  }

  draw(counts) {
    byId("words-lists").replaceChildren(...counts.map((found, index) => {
      const surplus = [...found].map(([word, count]) => [word, count, counts[1 - index].get(word) ?? 0]).filter(([, count, other]) => count > other);
      const ranked = surplus.sort(([one, a, c], [other, b, d]) => b - d - (a - c) || (one < other ? -1 : 1)).slice(0, MOST_WORDS);
      const body = element("tbody", {}, ...ranked.map((row) => this.row(...row)));
      const [own, other] = index ? ["B", "A"] : ["A", "B"];
      const caption = `Words that ${this.comparison.pair[index].name} shares with a reference where ${this.comparison.pair[1 - index].name} does not have them`;
      const head = element("tr", {}, element("th", { scope: "col", class: "left" }, `Word`), element("th", { scope: "col" }, `only ${own}`), element("th", { scope: "col" }, `only ${other}`));
      return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        element("table", { class: "plain-head" }, element("caption", {}, caption), element("thead", {}, head), body));
    }));
  }

  row(word, count, other) {
    const button = element("button", { type: "button", title: "Search for this word" }, element("bdi", {}, word));
    button.addEventListener("click", () => this.search(word));
    return element("tr", {}, element("th", { scope: "row" }, button), element("td", {}, String(count)), element("td", {}, String(other)));
  }
}
