// The settings of a page that its reader chooses once for all pages, and its data as a file.

const byId = (id) => document.getElementById(id);

// The reader's settings for all reports; a browser may refuse to store them.
function remembered(name) {
  try { return localStorage.getItem(`fw-report-${name}`); } catch { return null; }
}

// Returns whether the browser stored it.
function remember(name, value) {
  try { localStorage.setItem(`fw-report-${name}`, value); return true; } catch { return false; /* chosen for this page only */ }
}

function chooseTheme() {
  const button = byId("theme");
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let chosen = remembered("theme");
  const show = () => {
    const dark = chosen ? chosen === "dark" : preferred.matches;
    if (chosen) document.documentElement.dataset.theme = chosen;
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
    return dark;
  };
  button.addEventListener("click", () => {
    chosen = show() ? "light" : "dark";
    remember("theme", chosen);
    show();
  });
  preferred.addEventListener("change", show);
  button.hidden = false;
  show();
}

// Saves pieces of text as a file.
function saveAs(name, pieces, type) {
  const url = URL.createObjectURL(new Blob(pieces, { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Saves the data of the page.
function offerDownload(name, content = () => byId("data").textContent) {
  const button = byId("download");
  button.hidden = false;
  button.addEventListener("click", () => saveAs(name, [content()], "application/json"));
}
