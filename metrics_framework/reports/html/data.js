// The data of the page: the head at once, numbers and texts of outputs when they are needed.

const ARRAYS = { i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };
const blockOf = (name) => JSON.parse(byId(name).textContent);

// The title of the scores of single outputs, whose mean is not the score of all outputs together.
const outputTitle = ({ title, aggregate }) => (aggregate === "corpus" ? `${title} per output` : title);

// Returns the numbers of an array in base64, NaN where undefined.
function unpacked([kind, text]) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  const numbers = Float64Array.from(new ARRAYS[kind](bytes.buffer));
  if (kind[0] === "f") return numbers;
  const undefinedNumber = -(2 ** (8 * Number(kind[1]) - 1));
  return numbers.map((number) => (number === undefinedNumber ? NaN : number));
}

class ReportData {
  constructor() {
    Object.assign(this, blockOf("data"));
    this.size = this.embedded.sentences_listed;
    this.blocks = [];
    const columns = new Map(this.scores.map(({ name }, index) => [name, index]));
    let place = 0;
    this.systems.forEach((system, number) => {
      const read = new Map();
      system.position = number;
      const ofTexts = system.kind === "system" ? place++ : -1;
      // The scores of the outputs under a name, NaN where undefined; undefined without any.
      system.numbers = (name) => {
        if (!read.has(name)) {
          const id = `n-${number}-${columns.get(name)}`;
          read.set(name, byId(id) ? unpacked(blockOf(id)) : undefined);
        }
        return read.get(name);
      };
      system.value = (name, position) => {
        const value = system.numbers(name)?.[position] ?? NaN;
        return Number.isNaN(value) ? null : value;
      };
      system.answers = (position) => this.block(position).answers?.[ofTexts]?.[position % this.embedded.block] ?? [];
      system.text = (position) => this.block(position).texts[ofTexts][position % this.embedded.block];
    });
  }

  block(position) {
    const number = Math.floor(position / this.embedded.block);
    return (this.blocks[number] ??= blockOf(`t-${number}`));
  }

  sentence(position) {
    const [id, source, references, documents] = this.block(position).sentences[position % this.embedded.block];
    return { id, source, references, documents };
  }

  // The number of words of the text by whose length the sentences are divided, null without any.
  get wordCounts() {
    return (this.readLengths ??= this.embedded.has_lengths ? unpacked(blockOf("word-counts")) : null);
  }

  // The other fields of the rows: their name, values, and for each system, or once for all, the indices of the values.
  get rowFields() {
    return (this.readFields ??= Array.from({ length: this.embedded.fields }, (_, index) => {
      const { name, values, codes } = blockOf(`f-${index}`);
      return { name, values, codes: codes.map(unpacked) };
    }));
  }

  // Returns all data as one object, as the page saves them.
  whole() {
    const { embedded, ...head } = blockOf("data");
    const positions = Array.from({ length: this.size }, (_, position) => position);
    const plain = (numbers) => Array.from(numbers, (number) => (Number.isNaN(number) ? null : number));
    head.sentences = positions.map((position) => this.sentence(position));
    head.fields = this.rowFields.map(({ name, values, codes }) => ({ name, values, codes: codes.map(plain) }));
    head.systems.forEach((system, index) => {
      const of = this.systems[index];
      if (of.kind === "system") system.texts = positions.map((position) => of.text(position));
      if (of.kind === "system" && this.block(0).answers) system.answers = positions.map((position) => of.answers(position));
      for (const { name } of head.scores) if (of.numbers(name)) system.values[name] = plain(of.numbers(name));
    });
    return head;
  }
}
