// What the reader chose, in the part of the address after "#", so that a link leads to the same view.

const CONTROLS = ["query", "filter", "score", "whose", "order", "ngram", "first", "second", "compared", "divide", "bucket-score"];

class State {
  constructor(browser) {
    this.browser = browser;
    this.defaults = this.read();
  }

  // Returns the choices as pairs of names and texts.
  read() {
    const pairs = CONTROLS.filter((id) => byId(id)).map((id) => [id, byId(id).value]);
    pairs.push(["systems", this.browser.shown.map(({ position }) => position).join(".")]);
    pairs.push(["page", String(this.browser.page + 1)]);
    for (const id of ["notes-on", "deleted"]) if (byId(id)) pairs.push([id, byId(id).checked ? "yes" : "no"]);
    for (const { name, value } of this.browser.limits.values()) pairs.push([`only-${name}`, value]);
    return pairs;
  }

  write() {
    const defaults = new Map(this.defaults);
    const changed = this.read().filter(([name, value]) => defaults.get(name) !== value);
    const hash = changed.length ? `#${new URLSearchParams(changed)}` : "";
    byId("link").setAttribute("href", hash || "#sentences");
    try { history.replaceState(null, "", hash || (location.hash.includes("=") ? "#sentences" : location.hash || "#")); } catch { /* a frame without an address; the link still works */ }
  }

  // Restores the choices of an address; returns whether it has any. Unknown names and values are ignored.
  restore() {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return false;
    const pairs = new Map([...this.defaults, ...new URLSearchParams(hash)]);
    for (const id of CONTROLS) {
      const control = byId(id);
      if (!control || !pairs.has(id)) continue;
      if (control.tagName === "INPUT" || [...control.options].some(({ value }) => value === pairs.get(id))) control.value = pairs.get(id);
    }
    for (const id of ["notes-on", "deleted"]) if (byId(id)) byId(id).checked = pairs.get(id) === "yes";
    this.browser.list.classList.toggle("without-deleted", byId("deleted")?.checked === false);
    const shown = new Set(pairs.get("systems").split("."));
    for (const box of byId("systems").querySelectorAll("input")) box.checked = shown.has(box.value);
    this.browser.shown = this.browser.all.filter(({ position }) => shown.has(String(position)));
    this.browser.limits.clear();
    for (const name of Object.keys(this.browser.views)) {
      if (pairs.has(`only-${name}`)) this.browser.limits.set(name, { name, value: pairs.get(`only-${name}`) });
    }
    this.browser.page = Math.max(0, (Number.parseInt(pairs.get("page"), 10) || 1) - 1);
    return true;
  }
}
