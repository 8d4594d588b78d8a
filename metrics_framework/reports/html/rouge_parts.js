// The parts of a page of ROUGE. Pure functions of a summary, its references and their matches.

const DIGITS = 3;
const MOST_ROWS = 300;

// Writes a text with its words as elements, marked as counted or as occurring too often.
function textElement(sentences, words, marks) {
  const parts = [];
  sentences.forEach((text, index) => {
    if (index) parts.push("\n");
    let end = 0;
    for (const word of words[index]) {
      const mark = marks.get(word.index);
      parts.push(text.slice(end, word.start));
      parts.push(element("span", { class: mark ? `w ${mark.counts ? "hit" : "spare"}` : "w", "data-index": word.index }, text.slice(word.start, word.end)));
      end = word.end;
    }
    parts.push(text.slice(end));
  });
  return element("p", { class: "text", dir: "auto" }, ...parts.filter((part) => part !== ""));
}

function sideElement(side, name, about, sentences, words, marks) {
  const text = textElement(sentences, words, marks);
  text.tabIndex = 0;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", `${about} ${name}`);
  return element("article", { class: "side", "data-side": side },
    element("h3", {}, element("span", { class: "number", dir: "auto" }, name), element("span", { class: "quiet" }, ` ${about}, ${counted(words.flat().length, "word")} compared`)), text);
}

function headOf(names) {
  return element("thead", {}, element("tr", {}, ...names.map((name, index) => element("th", { scope: "col", class: index ? null : "left" }, name))));
}

function scoreCells({ hits, reference, summary }, scores) {
  return [hits, reference, summary].map((number) => element("td", {}, String(number)))
    .concat([scores.recall, scores.precision, scores.f1].map((number) => element("td", {}, element("span", { class: "value" }, format(number, DIGITS)))));
}

const nameOfReference = (index, count) => (count > 1 ? `reference ${index + 1}` : "reference");

// Lists the counts and scores for each reference, and for all of them together.
function referenceRows(matches, way, chosen) {
  const rows = matches.map((match, index) => element("tr", { class: index === chosen ? "chosen" : null, "data-reference": index },
    element("th", { scope: "row" }, element("button", { type: "button", class: "link", "data-reference": index, "aria-current": index === chosen ? "true" : null }, nameOfReference(index, matches.length))),
    ...scoreCells(match, scoresOf(match))));
  const both = combined(matches, way);
  const title = way === "max" ? "best reference, by recall" : "sum over the references";
  const last = element("tr", { class: "all" }, element("th", { scope: "row" }, "score", element("span", { class: "note" }, matches.length > 1 ? title : "")), ...scoreCells(both, scoresOf(both)));
  return [element("caption", {}, "Counts and scores"), headOf(["Reference", "Matched", "In the reference", "In the summary", "Recall", "Precision", "F1"]), element("tbody", {}, ...rows, last)];
}

// Returns the steps from the counts to the scores.
function arithmeticOf(match, scores) {
  const { hits, reference, summary } = match;
  const show = (number) => format(number, DIGITS);
  return [
    ["Recall", `${hits} ÷ ${reference} = ${show(scores.recall)} %`],
    ["Precision", `${hits} ÷ ${summary} = ${show(scores.precision)} %`],
    ["F1", element("b", {}, `2 × ${show(scores.precision)} × ${show(scores.recall)} ÷ (${show(scores.precision)} + ${show(scores.recall)}) = ${show(scores.f1)} %`)],
  ];
}

// Lists what is in both texts, with its clipped counts.
function countRows(match, unit) {
  const rows = [...match.rows].sort((a, b) => b.counted - a.counted || b.summary + b.reference - a.summary - a.reference);
  const shown = rows.slice(0, MOST_ROWS).map(({ key, summary, reference, counted: count }) => element("tr", { class: count < Math.max(summary, reference) ? "clipped" : null },
    element("th", { scope: "row" }, key), ...[summary, reference, count].map((number) => element("td", {}, String(number)))));
  return [element("caption", {}, "Clipped counts"), headOf([unit, "In the summary", "In the reference", "Counted"]), element("tbody", {}, ...shown)];
}

function countsNote(match, unit) {
  const others = [["summary", match.summary - match.rows.reduce((sum, row) => sum + row.summary, 0)], ["reference", match.reference - match.rows.reduce((sum, row) => sum + row.reference, 0)]];
  const more = match.rows.length > MOST_ROWS ? ` The ${MOST_ROWS} most frequent of ${match.rows.length} are listed.` : "";
  return `Only in the ${others.map(([name, count]) => `${name}: ${counted(count, unit)}`).join("; only in the ")}.${more}`;
}

// Lists the scores of all summaries of an input, best first.
function rankingRows(ranked, chosen) {
  const rows = ranked.map(({ name, kind, position, match, scores }) => element("tr", { class: position === chosen ? "chosen" : null },
    element("th", { scope: "row" }, element("button", { type: "button", class: "link", "data-output": position, dir: "auto", "aria-current": position === chosen ? "true" : null }, name),
      kind === "reference" ? element("span", { class: "note" }, "model summary") : ""), ...scoreCells(match, scores)));
  return [element("caption", {}, "Scores of all summaries of the input"), headOf(["Summary", "Matched", "In the references", "In the summary", "Recall", "Precision", "F1"]), element("tbody", {}, ...rows)];
}
