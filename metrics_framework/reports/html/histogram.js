// Intervals of numbers, and histograms whose bars are buttons.

const BARS = 25;

// Returns the ends of bins of round width for numbers; without numbers none. Zero is an end if it is between them.
function binsOf(numbers, wanted = BARS) {
  let [low, high] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (number < low) low = number;
    if (number > high) high = number;
  }
  if (!(low <= high)) return [];
  if (low === high) return [low, low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const [start, end] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: Math.max(1, end - start) + 1 }, (_, index) => Number(((start + index) * step).toPrecision(12)));
}

// Returns the bin of a number: bins contain their lower end, the last one also its upper end; -1 if undefined.
function binOf(ends, number) {
  if (Number.isNaN(number) || !ends.length || number < ends[0] || number > ends.at(-1)) return -1;
  let [low, high] = [0, ends.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ends[middle] <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Returns the mean of the defined numbers of some positions, with half the width of its 95 % interval.
function meanOf(numbers, positions) {
  let [count, mean, squares] = [0, 0, 0];
  for (const position of positions) {
    const number = numbers?.[position] ?? NaN;
    if (Number.isNaN(number)) continue;
    count++;
    const change = number - mean;
    mean += change / count;
    squares += change * (number - mean);
  }
  return { count, mean: count ? mean : null, half: count > 1 ? 1.959964 * Math.sqrt(squares / (count - 1) / count) : null };
}

// Returns Wilson's 95 % interval of a share.
function wilson(hits, count) {
  if (!count) return [null, null];
  const [z, share] = [1.959964, hits / count];
  const middle = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half = (z / (1 + z ** 2 / count)) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// Returns a histogram: a list of bars, each a button with its bin and count in words.
function histogramElement(label, bins, choose) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const list = element("ol", { class: "bars", "aria-label": label });
  for (const { text, count, kind, isChosen, value, unit } of bins) {
    const bar = element("span", { class: "bar-fill" });
    bar.style.blockSize = count ? `max(2px, ${(100 * count) / most}%)` : "0";
    const button = element("button", { type: "button", class: `histogram-bar ${kind}`, title: `${text}: ${counted(count, unit)}`, "aria-pressed": String(isChosen), disabled: !count },
      bar, element("span", { class: "sr" }, `${text}: ${counted(count, unit)}`));
    button.addEventListener("click", () => choose(value, isChosen));
    list.append(element("li", {}, button));
  }
  return list;
}

// Moves from bar to bar with the arrow keys.
function moveWithArrows(container, selector) {
  container.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const buttons = [...container.querySelectorAll(selector)];
    const next = buttons[buttons.indexOf(event.target) + by];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || !next || !buttons.includes(event.target)) return;
    event.preventDefault();
    next.focus();
  });
}
