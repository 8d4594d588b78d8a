// Marks the n-grams of an output that are also in a reference. Pure functions.

// Returns the n-grams of texts, as keys of their words; with punctuation marks, unless only words are wanted.
function ngramKeys(texts, order, wordsOnly) {
  const found = new Set();
  for (const text of texts) {
    const keys = piecesOf(text).pieces.filter((piece) => !wordsOnly || IS_WORD.test(piece.text)).map(({ key }) => key);
    for (let start = 0; start + order <= keys.length; start++) found.add(keys.slice(start, start + order).join(" "));
  }
  return found;
}

// Splits an output into runs of pieces: matched n-grams that overlap are one run.
function matchedRuns(references, output, order, wordsOnly) {
  const known = ngramKeys(references, order, wordsOnly);
  const { pieces, tail } = piecesOf(output);
  const compared = [...pieces.keys()].filter((index) => !wordsOnly || IS_WORD.test(pieces[index].text));
  const matched = new Set();
  const joined = new Set(); // pieces that continue the run of the piece before them
  for (let start = 0; start + order <= compared.length; start++) {
    const indices = compared.slice(start, start + order);
    if (!known.has(indices.map((index) => pieces[index].key).join(" "))) continue;
    for (let index = indices[0]; index <= indices.at(-1); index++) {
      matched.add(index);
      if (index > indices[0]) joined.add(index);
    }
  }
  const runs = [];
  pieces.forEach((piece, position) => {
    const isMatched = matched.has(position);
    if (isMatched ? !joined.has(position) : runs.at(-1)?.isMatched !== false) runs.push({ isMatched, pieces: [] });
    runs.at(-1).pieces.push({ ...piece, position });
  });
  return { runs, tail };
}
