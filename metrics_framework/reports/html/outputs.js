// One sentence of the list: its source, the highlighted outputs with their scores, its references.

// Adds the words of a text to an element, each in its own element, so that one can point at them.
function addWords(parent, pieces) {
  for (const { text, spaces, position } of pieces) {
    if (spaces) parent.append(spaces);
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
    addWords(marked, [{ ...first, spaces: "" }, ...others]);
    if (kind !== "del") {
      parent.append(first.spaces, marked);
      return;
    }
    const deleted = element("bdi", {}, marked);
    parent.append(element("span", { class: "gone" }, ...(index ? [first.spaces, deleted] : [deleted, " "])));
  });
  if (tail) parent.append(tail);
}

// Adds an output to an element, with its matched n-grams marked.
function addMatched(parent, references, output, order, wordsOnly) {
  const { runs, tail } = matchedRuns(references, output, order, wordsOnly);
  for (const { isMatched, pieces } of runs) {
    const [first, ...others] = pieces;
    const run = isMatched ? element("mark", { class: "hit" }) : parent;
    if (isMatched) parent.append(first.spaces, run);
    addWords(run, [isMatched ? { ...first, spaces: "" } : first, ...others]);
  }
  parent.append(tail);
}

// Returns the number of words of the texts of a sentence by whose length the report divides them.
function wordsOf({ source, documents, references }, lengthOf) {
  const texts = { documents, source: [source ?? ""], "first reference": references.slice(0, 1) }[lengthOf] ?? [];
  return texts.reduce((sum, text) => sum + wordsIn(text), 0);
}

// Creates the element of a sentence.
function sentenceElement(data, position, shown, columns, tagsOf, notes) {
  const sentence = data.sentence(position);
  const heading = `s${position}`;
  const article = element("article", { class: "sentence", tabindex: "-1", "data-position": position, "aria-labelledby": heading });
  article.append(
    element("h3", { id: heading }, element("span", { class: "number", dir: "auto" }, sentence.id),
      element("span", { class: "quiet" }, sentence.source === null && !sentence.documents.length ? "" : ` ${counted(wordsOf(sentence, sentence.source === null ? "documents" : "source"), "word")}`)),
  );
  if (sentence.source !== null) article.append(element("p", { class: "source text", dir: "auto" }, element("span", { class: "sr", dir: "ltr" }, "Source: "), sentence.source));
  if (sentence.documents.length) article.append(foldedElement("documents", "document", sentence.documents));
  const list = element("ul", { class: "outputs" });
  for (const system of shown) list.append(outputElement(system, position, columns, tagsOf(system, position), notes));
  article.append(list);
  if (sentence.references.length) article.append(foldedElement("references", "reference", sentence.references));
  return article;
}

function outputElement(system, position, columns, tags, notes) {
  const output = system.text(position);
  const item = element("li", { class: "output" }, element("span", { class: "who", dir: "auto" }, system.name));
  if (output === null) {
    item.append(element("p", { class: "quiet" }, "no output"));
    return item;
  }
  item.append(element("p", {
    class: "text", dir: "auto", tabindex: "0", "data-system": system.position, role: "group", "aria-label": `Output of ${system.name}`,
  }));
  const scores = element("span", { class: "values" });
  for (const tag of tags) scores.append(element("span", { class: "tag" }, tag));
  for (const [index, column] of columns.entries()) {
    scores.append(element("span", { class: index ? "score" : "score chosen" }, element("span", { class: "label" }, column.title),
      " ", element("span", { class: "value", "data-score": column.name },
        format(system.value(column.name, position), column.output_digits))));
  }
  item.append(scores);
  const answers = system.answers(position);
  if (answers.length) item.append(foldedElement("answers", "answer", answers));
  if (notes) item.append(notes(system, position));
  return item;
}

// Lists texts that are folded, and created when they are opened.
function foldedElement(kind, noun, texts) {
  const details = element("details", { class: `folded ${kind}` }, element("summary", {}, counted(texts.length, noun)));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("ol")) return;
    details.append(element("ol", {}, ...texts.map((text) => {
      const item = element("li", { class: "text", dir: "auto" });
      const { pieces, tail } = piecesOf(text);
      addWords(item, pieces.map((piece, index) => ({ ...piece, position: index })));
      item.append(tail);
      return item;
    })));
  });
  return details;
}

// Highlights outputs in turn: immediately within a budget of comparisons, the rest when the browser is idle.
const AT_ONCE = 4e6;

function fillOutputs(data, list) {
  const waiting = [...list.querySelectorAll("p[data-system]")];
  const fill = () => {
    let spent = 0;
    while (waiting.length && spent < AT_ONCE) {
      const text = waiting.shift();
      const { position } = text.closest(".sentence").dataset;
      const { source, references } = data.sentence(position);
      const output = data.systems[text.dataset.system].text(Number(position));
      if (data.facts.marks === "matches") {
        spent += 25 * output.length;
        addMatched(text, references, output, Number(byId("ngram").value), data.facts.task === "summarization");
      } else {
        spent += (source.length * output.length) / 25;
        addMarked(text, source, output);
      }
    }
    if (waiting.length && list.isConnected) setTimeout(fill);
  };
  fill();
}
