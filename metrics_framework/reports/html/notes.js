// The reader's notes: a rating and tags for an output. The browser keeps them; nothing is sent.

const RATINGS = [1, 2, 3, 4, 5];

class Notes {
  constructor(data) {
    this.data = data;
    this.name = `notes-${data.embedded.key}`;
    this.isKept = true;
    this.all = this.kept();
  }

  // Returns the notes that the browser kept. Others may have written there: what is no note on an output of this page is left out.
  kept() {
    const found = new Map();
    let stored;
    try { stored = JSON.parse(remembered(this.name)); } catch { stored = null; }
    for (const [key, note] of Array.isArray(stored) ? stored.filter(Array.isArray) : []) {
      const [system, position] = String(key).split(" ").map(Number);
      const isOutput = key === `${system} ${position}` && this.data.systems[system]?.kind === "system" && Number.isInteger(position) && position >= 0 && position < this.data.size;
      if (!isOutput || typeof note?.tags !== "string" || ![null, ...RATINGS].includes(note.rating)) continue;
      found.set(key, { rating: note.rating, tags: note.tags });
    }
    return found;
  }

  get(system, position) {
    return this.all.get(`${system.position} ${position}`) ?? { rating: null, tags: "" };
  }

  has(system, position) {
    return this.all.has(`${system.position} ${position}`);
  }

  set(system, position, change) {
    const note = { ...this.get(system, position), ...change };
    const key = `${system.position} ${position}`;
    if (note.rating === null && !tagsOf(note).length) this.all.delete(key);
    else this.all.set(key, note);
    this.isKept = remember(this.name, JSON.stringify([...this.all]));
  }

  clear() {
    this.all.clear();
    this.isKept = remember(this.name, "[]");
  }

  // Returns the notes as rows of scores: a rating, and 1 or 0 for each tag. Ratings and tags are scores for fw correlate.
  rows() {
    const tags = [...new Set([...this.all.values()].flatMap(tagsOf))].sort();
    const keys = [...this.all.keys()].map((key) => key.split(" ").map(Number)).sort(([a, b], [c, d]) => b - d || a - c);
    const hasRatings = [...this.all.values()].some(({ rating }) => rating !== null);
    return keys.map(([system, position]) => {
      const note = this.all.get(`${system} ${position}`);
      const has = new Set(tagsOf(note));
      return {
        instance_id: this.data.sentence(position).id, summarizer_id: this.data.systems[system].name, summarizer_type: "peer",
        metrics: { ...(hasRatings ? { rating: note.rating } : {}), ...Object.fromEntries(tags.map((tag) => [`tag_${tag}`, Number(has.has(tag))])) },
      };
    });
  }

  // Returns the fields for the note on an output.
  element(system, position, changed) {
    const id = this.data.sentence(position).id;
    const { rating, tags } = this.get(system, position);
    const chosen = element("select", { "aria-label": `Rating of ${system.name}, ${id}` },
      element("option", { value: "" }, "–"), ...RATINGS.map((number) => element("option", { value: number, selected: number === rating }, String(number))));
    const written = element("input", { type: "text", value: tags, maxlength: 200, placeholder: "tags, with commas", dir: "auto", "aria-label": `Tags of ${system.name}, ${id}` });
    chosen.addEventListener("input", () => { this.set(system, position, { rating: chosen.value ? Number(chosen.value) : null }); changed(); });
    written.addEventListener("input", () => { this.set(system, position, { tags: written.value }); changed(); });
    return element("div", { class: this.has(system, position) ? "note-fields filled" : "note-fields" }, element("span", { class: "quiet", "aria-hidden": "true" }, "Rating"), chosen, written);
  }
}

function tagsOf({ tags }) {
  return [...new Set(tags.split(",").map((tag) => tag.trim().replace(/\s+/gu, "_")).filter(Boolean))];
}

// Connects the notes with their controls; `redraw` shows or hides the fields of the outputs.
function startNotes(notes, redraw) {
  const show = () => {
    const count = notes.all.size;
    byId("notes-count").textContent = count ? counted(count, "note") + (notes.isKept ? "" : " (kept until the page is closed)") : "";
    byId("notes-save").disabled = byId("notes-clear").disabled = !count;
    byId("notes-buttons").hidden = !count && !byId("notes-on").checked;
  };
  byId("notes-on").addEventListener("change", () => { redraw(); show(); });
  byId("notes-save").addEventListener("click", () => {
    const lines = notes.rows().map((row) => `${JSON.stringify(row)}\n`);
    saveAs("ratings.jsonl", lines, "application/jsonl");
  });
  byId("notes-clear").addEventListener("click", () => {
    if (!confirm(`Delete ${counted(notes.all.size, "note")}?`)) return;
    notes.clear();
    redraw();
    show();
  });
  show();
  return show;
}
