// Compares an output with its source word by word: kept, inserted, deleted, moved. Pure functions, no recursion.

// The most cells of a table for two texts; longer texts are split at words that are unique in both.
const MOST_CELLS = 16e6;
const PIECES = /\s+|[\p{L}\p{N}\p{M}]+(?:['’.\-][\p{L}\p{N}\p{M}]+)*|[!-\/:-@[-`{-~]|[^\s\p{L}\p{N}\p{M}!-\/:-@[-`{-~]+/gu;
const IS_WORD = /[\p{L}\p{N}]/u;

let directions = new Uint8Array(1 << 16);

// Splits a text into words and punctuation marks, each with the spaces before it; the tail is the spaces at the end.
function piecesOf(text) {
  const pieces = [];
  let spaces = "";
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece.trim() === "") {
      spaces = piece;
      continue;
    }
    pieces.push({ text: piece, key: piece.toLowerCase(), spaces });
    spaces = "";
  }
  return { pieces, tail: spaces };
}

// Returns for each piece of the output the index of the source piece that it is aligned to, or -1, in increasing order.
function keptPositions(source, output) {
  const numbers = new Map();
  const numbered = (pieces) => Int32Array.from(pieces, ({ key }) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key);
  });
  const a = numbered(source);
  const b = numbered(output);
  const kept = new Int32Array(b.length).fill(-1);
  for (const part of partsOf(a, b)) align(a, b, part, kept);
  return kept;
}

// Splits two sequences that are too long for one table at the numbers that are unique in both and in the same order.
function partsOf(a, b) {
  if (a.length * b.length <= MOST_CELLS) return [[0, a.length, 0, b.length]];
  const parts = [];
  let [i, j] = [0, 0];
  for (const [p, q] of anchors(a, b)) {
    parts.push([i, p, j, q], [p, p + 1, q, q + 1]);
    [i, j] = [p + 1, q + 1];
  }
  parts.push([i, a.length, j, b.length]);
  return parts;
}

// Returns the longest increasing sequence of pairs of numbers that are unique in both sequences.
function anchors(a, b) {
  const positions = (sequence) => {
    const found = new Map();
    sequence.forEach((number, position) => found.set(number, found.has(number) ? -1 : position));
    return found;
  };
  const inB = positions(b);
  const pairs = [...positions(a)].filter(([number, p]) => p >= 0 && (inB.get(number) ?? -1) >= 0)
    .map(([number, p]) => [p, inB.get(number)]).sort((x, y) => x[0] - y[0]);
  const ends = [];
  const before = new Int32Array(pairs.length);
  pairs.forEach(([, q], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]][1] < q) low = middle + 1;
      else high = middle;
    }
    before[index] = low ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const run = [];
  for (let index = ends.length ? ends[ends.length - 1] : -1; index >= 0; index = before[index]) run.push(pairs[index]);
  return run.reverse();
}

// Finds a longest common subsequence of two parts, after removing the common prefix and suffix.
function align(a, b, [start, end, from, to], kept) {
  while (start < end && from < to && a[start] === b[from]) kept[from++] = start++;
  while (start < end && from < to && a[end - 1] === b[to - 1]) kept[--to] = --end;
  const [rows, columns] = [end - start, to - from];
  if (!rows || !columns || rows * columns > MOST_CELLS) return; // nothing to align, or no unique words to split the texts at
  if (directions.length < rows * columns) directions = new Uint8Array(rows * columns);
  let below = new Uint32Array(columns + 1);
  let row = new Uint32Array(columns + 1);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const same = a[start + i] === b[from + j];
      row[j] = same ? below[j + 1] + 1 : Math.max(below[j], row[j + 1]);
      directions[i * columns + j] = same ? 0 : below[j] >= row[j + 1] ? 1 : 2;
    }
    [below, row] = [row, below];
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    const direction = directions[i * columns + j];
    if (direction === 0) kept[from + j++] = start + i++;
    else if (direction === 1) i++;
    else j++;
  }
}

// Divides an output into runs that are kept ("keep"), inserted ("ins"), deleted ("del") or moved ("moved").
// Deleted runs contain pieces of the source, at their position in the source and before the words inserted instead of
// them; all other runs make up the output.
function marksOf(sourceText, outputText) {
  const source = piecesOf(sourceText).pieces;
  const { pieces: output, tail } = piecesOf(outputText);
  const kept = keptPositions(source, output);
  const [fromPosition, moved] = movedPositions(source, output, kept);
  const runs = [];
  const add = (kind, piece, position) => {
    if (runs.length && runs.at(-1).kind === kind) runs.at(-1).pieces.push({ ...piece, position });
    else runs.push({ kind, pieces: [{ ...piece, position }] });
  };
  const ends = endsOfGaps(kept, source.length);
  let next = 0;
  const deletedUntil = (end) => {
    for (; next < end; next++) if (!fromPosition.has(next)) add("del", source[next], -1);
  };
  output.forEach((piece, position) => {
    deletedUntil(ends[position]);
    if (kept[position] >= 0) next = kept[position] + 1;
    add(kept[position] >= 0 ? "keep" : moved.has(position) ? "moved" : "ins", piece, position);
  });
  deletedUntil(source.length);
  return { runs, tail };
}

// Returns for each piece of the output the index of the first source piece kept at or after it.
function endsOfGaps(kept, size) {
  const ends = new Int32Array(kept.length);
  for (let position = kept.length - 1, end = size; position >= 0; position--) {
    if (kept[position] >= 0) end = kept[position];
    ends[position] = end;
  }
  return ends;
}

// Pairs equal words of source and output that are not kept, in order of appearance.
function movedPositions(source, output, kept) {
  const stays = new Set(kept);
  const left = new Map();
  source.forEach(({ key }, position) => {
    if (stays.has(position) || !IS_WORD.test(key)) return;
    if (!left.has(key)) left.set(key, []);
    left.get(key).push(position);
  });
  const [from, to] = [new Set(), new Set()];
  for (const positions of left.values()) positions.reverse();
  output.forEach(({ key }, position) => {
    const positions = kept[position] < 0 ? left.get(key) : undefined;
    if (!positions?.length) return;
    from.add(positions.pop());
    to.add(position);
  });
  return [from, to];
}

// Returns the runs of one to four words of the references: words joined by spaces to the indices of the references.
const LONGEST_RUN = 4;

function runsOf(references) {
  const found = new Map();
  references.forEach((reference, number) => {
    const keys = piecesOf(reference).pieces.map(({ key }) => key);
    for (let size = 1; size <= LONGEST_RUN; size++) {
      for (let position = 0; position + size <= keys.length; position++) {
        const run = keys.slice(position, position + size).join(" ");
        if (!found.has(run)) found.set(run, []);
        if (found.get(run).at(-1) !== number) found.get(run).push(number);
      }
    }
  });
  return found;
}

// Returns the longest run around a word that is in a reference: its start, its length, and the indices of the references.
function runAround(keys, position, runs) {
  for (let size = Math.min(LONGEST_RUN, keys.length); size >= 1; size--) {
    for (let start = Math.max(0, position - size + 1); start <= Math.min(position, keys.length - size); start++) {
      const numbers = runs.get(keys.slice(start, start + size).join(" "));
      if (numbers) return { start, size, numbers };
    }
  }
  return null;
}
