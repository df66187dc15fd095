/** JSON values that are a little smaller than the given one, the boldest first. */
export function* shrink(value: unknown): Iterable<unknown> {
  if (typeof value === "string") yield* smallerTexts(value);
  else if (typeof value === "number") yield* smallerNumbers(value);
  else if (Array.isArray(value)) yield* smallerLists(value);
  else if (typeof value === "object" && value !== null) yield* smallerObjects(value);
}

function* smallerTexts(value: string): Iterable<string> {
  if (value === "") return;
  yield "";
  const letters = Array.from(value);
  const half = Math.ceil(letters.length / 2);
  if (half < letters.length) yield letters.slice(0, half).join("");
  for (const index of letters.keys()) yield letters.filter((_, other) => other !== index).join("");
}

function* smallerNumbers(value: number): Iterable<number> {
  for (const candidate of [0, 1, Math.trunc(value), Math.trunc(value / 2)])
    if (Math.abs(candidate) < Math.abs(value)) yield candidate;
}

function* smallerLists(value: readonly unknown[]): Iterable<unknown[]> {
  if (value.length > 0) yield [];
  for (const index of value.keys()) yield value.filter((_, other) => other !== index);
  for (const [index, item] of value.entries())
    for (const smaller of shrink(item))
      yield value.map((old, other) => (other === index ? smaller : old));
}

function* smallerObjects(value: object): Iterable<object> {
  const members: readonly [string, unknown][] = Object.entries(value);
  for (const [key] of members) yield Object.fromEntries(members.filter(([other]) => other !== key));
  for (const [key, item] of members)
    for (const smaller of shrink(item))
      yield Object.fromEntries(
        members.map(([other, old]) => [other, other === key ? smaller : old]),
      );
}
