// Shows in the buckets how many outputs of a system have a score. Only pages on which some outputs have none contain this.

const rowWithoutCounts = Buckets.prototype.row;

Buckets.prototype.row = function row(bucket, index, isChosen, column, systems) {
  const made = rowWithoutCounts.call(this, bucket, index, isChosen, column, systems);
  systems.forEach((system, place) => {
    if (system.scored?.[column.name] === undefined) return;
    const positions = [...(bucket.of?.length > 1 ? bucket.of[place] : bucket.positions)].filter((position) => system.text(position) !== null);
    const { count } = meanOf(system.numbers(column.name), positions);
    if (count < positions.length) made.cells[place + 2].append(element("span", { class: "note scored", title: `${count} of ${positions.length} outputs have a score` }, `${count}/${positions.length}`));
  });
  return made;
};
