// One sentence of the list: its source, the highlighted outputs with their scores, its references.

// Creates an element; strings become text nodes, never markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Formats a number as the tables do: ties of the binary number are rounded to even.
function format(value, digits) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const half = size * 2 ** (digits + 1);
  const isTie = Number.isInteger(half) && half % 2 === 1;
  const text = size < 1e21 ? size.toFixed(digits) : BigInt(size) + (digits ? `.${"0".repeat(digits)}` : "");
  const isOdd = Number(text.at(-1)) % 2 === 1;
  return (value < 0 || Object.is(value, -0) ? "-" : "") + (isTie && isOdd ? (Number(text) - 10 ** -digits).toFixed(digits) : text);
}

const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const wordsIn = (text) => text.split(/\s+/u).filter(Boolean).length;

// Adds the words of a text to an element, each in its own element, so that one can point at them.
function addWords(parent, pieces) {
  for (const { text, blank, position } of pieces) {
    if (blank) parent.append(blank);
    parent.append(position === undefined || position < 0 ? text : element("span", { class: "w", "data-position": position }, text));
  }
}

const MARKUP = { ins: ["ins"], del: ["del"], moved: ["mark", { class: "moved" }] };

// Adds a highlighted output to an element. Deleted words have their own direction, so that the direction of
// the element is that of the output.
function addMarked(parent, source, output) {
  const { runs, tail } = marksOf(source, output);
  runs.forEach(({ kind, pieces }, index) => {
    if (!MARKUP[kind]) {
      addWords(parent, pieces);
      return;
    }
    const [first, ...others] = pieces;
    const marked = element(...MARKUP[kind]);
    addWords(marked, [{ ...first, blank: "" }, ...others]);
    if (kind !== "del") {
      parent.append(first.blank, marked);
      return;
    }
    const deleted = element("bdi", {}, marked);
    parent.append(element("span", { class: "gone" }, ...(index ? [first.blank, deleted] : [deleted, " "])));
  });
  if (tail) parent.append(tail);
}

// Creates the element of a sentence.
function sentenceElement(data, position, shown, columns, tagsOf) {
  const sentence = data.sentences[position];
  const heading = `s${position}`;
  const made = element("article", { class: "sentence", tabindex: "-1", "data-position": position, "aria-labelledby": heading });
  made.append(
    element("h3", { id: heading }, element("span", { class: "number", dir: "auto" }, sentence.id),
      element("span", { class: "quiet" }, ` ${many(wordsIn(sentence.source), "word")}`)),
    element("p", { class: "source text", dir: "auto" }, element("span", { class: "sr", dir: "ltr" }, "Source: "), sentence.source),
  );
  const list = element("ul", { class: "outputs" });
  for (const system of shown) list.append(outputElement(system, position, columns, tagsOf(system, position)));
  made.append(list);
  if (sentence.references.length) made.append(referencesElement(sentence));
  return made;
}

function outputElement(system, position, columns, tags) {
  const output = system.texts[position];
  const made = element("li", { class: "output" }, element("span", { class: "who", dir: "auto" }, system.name));
  if (output === null) {
    made.append(element("p", { class: "quiet" }, "no output"));
    return made;
  }
  made.append(element("p", {
    class: "text", dir: "auto", tabindex: "0", "data-system": system.position, role: "group", "aria-label": `Output of ${system.name}`,
  }));
  const scores = element("span", { class: "values" });
  for (const tag of tags) scores.append(element("span", { class: "tag" }, tag));
  for (const [index, column] of columns.entries()) {
    scores.append(element("span", { class: index ? "score" : "score chosen" }, element("span", { class: "label" }, column.title),
      " ", element("span", { class: "value", "data-score": column.name },
        format(system.values[column.name]?.[position], column.output_digits))));
  }
  made.append(scores);
  return made;
}

function referencesElement({ references }) {
  const made = element("details", { class: "references" },
    element("summary", {}, many(references.length, "reference")));
  made.addEventListener("toggle", () => {
    if (!made.open || made.querySelector("ol")) return;
    made.append(element("ol", {}, ...references.map((text) => {
      const item = element("li", { class: "text", dir: "auto" });
      const { pieces, tail } = piecesOf(text);
      addWords(item, pieces.map((piece, index) => ({ ...piece, position: index })));
      item.append(tail);
      return item;
    })));
  });
  return made;
}

// Highlights outputs in turn: immediately within a budget of comparisons, the rest when the browser is idle.
const AT_ONCE = 4e6;

function fillOutputs(data, list) {
  const waiting = [...list.querySelectorAll("p[data-system]")];
  const fill = () => {
    let spent = 0;
    while (waiting.length && spent < AT_ONCE) {
      const text = waiting.shift();
      const { source } = data.sentences[text.closest(".sentence").dataset.position];
      const output = data.systems[text.dataset.system].texts[text.closest(".sentence").dataset.position];
      spent += (source.length * output.length) / 25;
      addMarked(text, source, output);
    }
    if (waiting.length && list.isConnected) setTimeout(fill);
  };
  fill();
}
