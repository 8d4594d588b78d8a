// Elements and numbers, for all pages.

// Creates an element; strings become text nodes, never markup.
function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) created.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) created.setAttribute(key, value);
  }
  created.append(...children);
  return created;
}

// Formats a number as the tables do: ties of the binary number are rounded to even.
function format(value, digits) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e15) return value.toExponential(5);
  const half = size * 2 ** (digits + 1);
  const isTie = Number.isInteger(half) && half % 2 === 1;
  const text = size.toFixed(digits);
  const isOdd = Number(text.at(-1)) % 2 === 1;
  const rounded = isTie && isOdd ? (Number(text) - 10 ** -digits).toFixed(digits) : text;
  return (value < 0 && Number(rounded) ? "-" : "") + rounded;
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const wordsIn = (text) => text.split(/\s+/u).filter(Boolean).length;
