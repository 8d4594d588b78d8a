// Marks the errors that a metric predicts, by severity. Only pages with predicted errors contain this.

ReportData.prototype.errors = function errors(system, position) {
  const place = this.systems.filter(({ kind }) => kind === "system").indexOf(system);
  return this.block(position).spans[place]?.[position % this.embedded.block] ?? null;
};

const wholeWithoutErrors = ReportData.prototype.whole;

ReportData.prototype.whole = function whole() {
  const head = wholeWithoutErrors.call(this);
  head.systems.forEach((system, index) => {
    const of = this.systems[index];
    const spans = (system.texts ?? []).map((_, position) => this.errors(of, position));
    if (spans.some((one) => one !== null)) system.spans = spans;
  });
  return head;
};

// Adds an output to an element, with its errors marked. Indices of spans count characters, not the units of JavaScript.
function addErrors(parent, output, spans) {
  const severities = Array(Array.from(output).length).fill(null);
  for (const span of spans) severities.fill(span, span[0], span[1]);
  let index = 0;
  const add = (target, text) => {
    let run = null;
    for (const character of text) {
      const span = severities[index];
      if (run === null || run.span !== span) {
        const severity = span?.[2] || "unknown";
        const kind = ["minor", "major", "critical"].includes(severity) ? severity : "major";
        const begins = span && span[0] === index ? " begins" : "";
        run = { span, node: span ? element("mark", { class: `error ${kind}${begins}`, title: `${severity} error` }) : document.createTextNode("") };
        target.append(run.node);
      }
      run.node.append?.(character) ?? run.node.appendData?.(character);
      index += 1;
    }
  };
  const { pieces, tail } = piecesOf(output);
  for (const [position, { text, spaces }] of pieces.entries()) {
    add(parent, spaces);
    const word = element("span", { class: "w", "data-position": position });
    add(word, text);
    parent.append(word);
  }
  add(parent, tail);
}

const fillWithoutErrors = fillOutputs;

// Outputs with predicted errors have no system while the function of other pages looks for outputs to fill.
fillOutputs = function fillWithErrors(data, list) {
  const filled = [];
  for (const text of list.querySelectorAll("p[data-system]")) {
    const system = data.systems[text.dataset.system];
    const position = Number(text.closest(".sentence").dataset.position);
    const spans = data.errors(system, position);
    if (spans === null) continue;
    addErrors(text, system.text(position), spans);
    filled.push([text, text.dataset.system]);
    delete text.dataset.system;
  }
  fillWithoutErrors(data, list);
  for (const [text, system] of filled) text.dataset.system = system;
};
