// The parts of a page of pyramids. Pure functions of a pyramid and a scored summary.

// Draws the pyramid: a row of squares per tier, highest weight first.
function shapeOf(tiers) {
  const rows = tiers.map(({ weight, units }) => element("div", { class: "row" },
    element("span", { class: "weight" }, String(weight)),
    element("span", { class: "squares" }, ...units.map(({ index, covered }) => element("span", { class: covered ? "square covered" : "square", "data-unit": index })))));
  return element("div", { class: "shape", "aria-hidden": "true" }, ...rows);
}

function tierElement({ weight, units }) {
  const covered = units.filter((unit) => unit.covered).length;
  const list = element("ul", { class: "units" }, ...units.map((unit) => element("li", {},
    element("button", { type: "button", class: unit.covered ? "unit covered" : "unit", "data-unit": unit.index, tabindex: "-1", "aria-pressed": "false" },
      element("span", { class: "sign-of", role: "img", "aria-label": unit.covered ? "covered" : "missed" }, unit.covered ? "✓" : "✗"),
      element("span", { class: "label", dir: "auto" }, unit.label || `unit ${unit.id}`)))));
  return element("div", { class: "tier" },
    element("h3", {}, `Weight ${weight}`, element("span", { class: "quiet" }, ` ${covered} of ${counted(units.length, "unit")} covered`)), list);
}

function summaryElement(name, about, segments, isScored = false) {
  const text = element("p", { class: "text", dir: "auto" }, ...segments.map(({ text: part, units }) =>
    units.length ? element("span", { class: "seg", "data-units": units.join(" ") }, part) : part));
  return element("article", { class: isScored ? "summary scored" : "summary" },
    element("h3", {}, element("span", { class: "number", dir: "auto" }, name), element("span", { class: "quiet" }, ` ${about}`)),
    segments.length ? text : element("p", { class: "quiet" }, "no text in the files"));
}

// Writes a sum of weights as products: 2 × 4 + 1 × 3.
function productsOf(weights) {
  const counts = new Map();
  for (const weight of [...weights].sort((a, b) => b - a)) counts.set(weight, (counts.get(weight) ?? 0) + 1);
  return [...counts].map(([weight, count]) => `${count} × ${weight}`).join(" + ") || "0";
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Returns the steps from the units to the score, each with its name.
function arithmeticOf(units, summary, pyramid) {
  const weights = units.map(({ weight }) => weight);
  const covered = units.filter((unit) => unit.covered).map(({ weight }) => weight);
  const models = pyramid.models.length - (summary.left_out === null ? 0 : 1);
  const ideal = [...weights].sort((a, b) => b - a).slice(0, summary.size);
  const without = summary.left_out === null ? "" : `, without ${pyramid.models[summary.left_out].name}`;
  return [
    ["Weight of the covered units", `${productsOf(covered)} = ${sum(covered)}`],
    [`Units of a model summary, on average${without}`, `${sum(weights)} ÷ ${models}, rounded up = ${summary.size}`],
    [`Ideal weight of ${counted(summary.size, "unit")}`, `${productsOf(ideal)} = ${sum(ideal)}`],
    ["Score", element("b", {}, `${sum(covered)} ÷ ${sum(ideal)} = ${format(summary.score, DIGITS)}`)],
  ];
}

// Writes the head of a table; the columns with these indices are left-aligned.
function headOf(names, left = [0]) {
  return element("thead", {}, element("tr", {}, ...names.map((name, index) => element("th", { scope: "col", class: index === 0 ? "left" : left.includes(index) ? "text-column" : null, dir: "auto" }, name))));
}

// Lists all scored summaries of an input, best first.
function rankingOf({ summaries }, chosen) {
  const ranked = summaries.map((summary, index) => ({ ...summary, index })).sort((a, b) => (b.score ?? -1) - (a.score ?? -1) || a.index - b.index);
  const rows = ranked.map(({ name, kind, units, total, ideal, score, index }) => element("tr", { class: index === chosen ? "chosen" : null },
    element("th", { scope: "row" }, element("button", { type: "button", class: "link", "data-summary": index, dir: "auto", "aria-current": index === chosen ? "true" : null }, name),
      kind === "reference" ? element("span", { class: "note" }, "model summary") : ""),
    ...[units.length, total, ideal].map((number) => element("td", {}, String(number))), element("td", {}, element("span", { class: "value" }, format(score, DIGITS)))));
  return [element("caption", {}, "Scores of all summaries of the input"), headOf(["Summary", "Units", "Weight", "Ideal weight", "Score"]), element("tbody", {}, ...rows)];
}

// Lists the units with the texts of their contributors, and that of the scored summary.
function contributorsOf(units, { models }, summary) {
  const quoted = (texts) => texts.map((text) => element("q", { dir: "auto" }, text));
  const line = (name, texts) => element("p", {}, element("b", { dir: "auto" }, name), " ", ...(texts.length ? quoted(texts).flatMap((one, index) => (index ? [" … ", one] : [one])) : [element("span", { class: "quiet" }, "no text in the files")]));
  const rows = [...units].sort((a, b) => b.weight - a.weight).map((unit) => {
    const own = summary.units.find((one) => one.unit === unit.index);
    return element("tr", {}, element("th", { scope: "row", dir: "auto" }, unit.label || `unit ${unit.id}`), element("td", {}, String(unit.weight)),
      element("td", { class: "text-column" }, ...unit.contributors.filter(({ model }) => model !== summary.left_out).map(({ model, texts }) => line(models[model].name, texts))),
      element("td", { class: "text-column" }, ...(own ? [line("✓", own.texts)] : [element("span", { class: "quiet" }, "✗ missed")])));
  });
  return [element("caption", {}, "Contributors"), headOf(["Unit", "Weight", "Model summaries", summary.name], [0, 2, 3]), element("tbody", {}, ...rows)];
}
