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
  const half = size * 2 ** (digits + 1);
  const isTie = Number.isInteger(half) && half % 2 === 1;
  const text = size < 1e21 ? size.toFixed(digits) : BigInt(size) + (digits ? `.${"0".repeat(digits)}` : "");
  const isOdd = Number(text.at(-1)) % 2 === 1;
  return (value < 0 || Object.is(value, -0) ? "-" : "") + (isTie && isOdd ? (Number(text) - 10 ** -digits).toFixed(digits) : text);
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const wordsIn = (text) => text.split(/\s+/u).filter(Boolean).length;
