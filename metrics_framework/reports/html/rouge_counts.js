// ROUGE-N and ROUGE-L of two texts, as the metric rouge defines them. Pure functions.

// Splits texts into words, as they are compared: lowercased, without stop words, stemmed. The stems and stop words of all words of the page are in its data.
class Words {
  constructor({ stems, stops }, { stemmed, without }) {
    this.stems = stemmed ? new Map(Object.entries(stems)) : new Map();
    this.stops = new Set(without ? stops : []);
  }

  // Returns the words of the sentences of a text: each with its sentence, its start and end there, and its index in the text.
  of(sentences) {
    const words = sentences.map((text, sentence) => [...text.matchAll(/[A-Za-z0-9]+/g)].map((match) => {
      const lower = match[0].toLowerCase();
      return { lower, key: this.stems.get(lower) ?? lower, sentence, start: match.index, end: match.index + match[0].length };
    }).filter(({ lower }) => !this.stops.has(lower)));
    words.flat().forEach((word, index) => { word.index = index; });
    return words;
  }
}

// Returns the n-grams of a text: key to the indices of their first words.
function ngramsOf(sentences, order) {
  const words = sentences.flat();
  const found = new Map();
  for (let start = 0; start + order <= words.length; start++) {
    const key = words.slice(start, start + order).map((word) => word.key).join(" ");
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(start);
  }
  return found;
}

const total = (counts) => [...counts.values()].reduce((sum, starts) => sum + starts.length, 0);

// Compares the n-grams of a summary and a reference: each counts as often as in the text that has it less often.
function ngramMatch(summary, reference, order) {
  const [ours, theirs] = [ngramsOf(summary, order), ngramsOf(reference, order)];
  const rows = [];
  const marks = { summary: new Map(), reference: new Map() };
  for (const [key, starts] of ours) {
    const others = theirs.get(key);
    if (!others) continue;
    const counted = Math.min(starts.length, others.length);
    rows.push({ key, summary: starts.length, reference: others.length, counted });
    addMarks(marks.summary, starts, counted, order, key);
    addMarks(marks.reference, others, counted, order, key);
  }
  return { hits: rows.reduce((sum, row) => sum + row.counted, 0), reference: total(theirs), summary: total(ours), rows, marks };
}

// Marks the words of n-grams: the first ones count, the others occur more often than in the other text.
function addMarks(marks, starts, counted, order, key) {
  starts.forEach((start, occurrence) => {
    for (let index = start; index < start + order; index++) {
      const mark = marks.get(index) ?? { counts: false, keys: [] };
      mark.counts ||= occurrence < counted;
      mark.keys.push(key);
      marks.set(index, mark);
    }
  });
}

// Returns the pairs of positions of a longest common subsequence, as the program finds it from the ends of both sentences.
function commonPairs(reference, summary) {
  const width = summary.length + 1;
  const lengths = new Int32Array((reference.length + 1) * width);
  for (let row = 1; row <= reference.length; row++) {
    for (let column = 1; column < width; column++) {
      const at = row * width + column;
      lengths[at] = reference[row - 1].key === summary[column - 1].key ? lengths[at - width - 1] + 1 : Math.max(lengths[at - width], lengths[at - 1]);
    }
  }
  const pairs = [];
  for (let row = reference.length, column = summary.length; row && column;) {
    if (reference[row - 1].key === summary[column - 1].key) pairs.push([--row, --column]);
    else if (lengths[(row - 1) * width + column] >= lengths[row * width + column - 1]) row--;
    else column--;
  }
  return pairs;
}

// Compares a summary and a reference by ROUGE-L: the words of each sentence of the reference that are in the union of its longest common subsequences with all sentences of the summary, each word at most as often as in the text that has it less often.
function lcsMatch(summary, reference) {
  const [ours, theirs] = [ngramsOf(summary, 1), ngramsOf(reference, 1)];
  const rows = new Map([...ours].filter(([key]) => theirs.has(key)).map(([key, starts]) => [key, { key, summary: starts.length, reference: theirs.get(key).length, counted: 0 }]));
  const marks = { summary: new Map(), reference: new Map() };
  for (const sentence of reference) {
    const union = new Map();
    for (const other of summary) for (const [position, index] of commonPairs(sentence, other)) union.set(position, [...(union.get(position) ?? []), other[index].index]);
    for (const position of [...union.keys()].sort((a, b) => a - b)) {
      const { key, index } = sentence[position];
      const row = rows.get(key);
      const counts = row.counted < Math.min(row.summary, row.reference);
      if (counts) row.counted++;
      marks.reference.set(index, { counts, keys: [key] });
      for (const of of union.get(position)) marks.summary.set(of, { counts: counts || Boolean(marks.summary.get(of)?.counts), keys: [key] });
    }
  }
  const all = [...rows.values()];
  return { hits: all.reduce((sum, row) => sum + row.counted, 0), reference: reference.flat().length, summary: summary.flat().length, rows: all, marks };
}

const matchOf = (summary, reference, measure) => (measure === "l" ? lcsMatch(summary, reference) : ngramMatch(summary, reference, Number(measure)));

const ratio = (numerator, denominator) => (denominator > 0 ? numerator / denominator : 0);
const rounded = (share) => Number(format(share, 5));
const percentage = (share) => Math.round(rounded(share) * 1e5) / 1000;

// Returns recall, precision and F1 in percent. As in the program, F1 comes from recall and precision rounded to five decimal places.
function scoresOf({ hits, reference, summary }) {
  const [recall, precision] = [rounded(ratio(hits, reference)), rounded(ratio(hits, summary))];
  const f1 = ratio(precision * recall, 0.5 * precision + 0.5 * recall);
  return { recall: percentage(recall), precision: percentage(precision), f1: percentage(f1) };
}

// Combines the counts of all references: their sums, or those of the reference with the highest recall, the first of several.
function combined(matches, way) {
  if (way === "max") return matches.reduce((best, match) => (ratio(match.hits, match.reference) > ratio(best.hits, best.reference) ? match : best));
  const sum = (name) => matches.reduce((all, match) => all + match[name], 0);
  return { hits: sum("hits"), reference: sum("reference"), summary: sum("summary") };
}
