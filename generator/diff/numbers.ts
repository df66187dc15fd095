/** Name and number of a field in the proto. */
interface Numbered {
  readonly name: string;
  readonly number: number;
}

/**
 * Returns whether each field that two versions of a message have by name has kept its number, so
 * that numbers also identify renamed fields.
 */
export function keepsNumbers(from: readonly Numbered[], to: readonly Numbered[]): boolean {
  const numbers = new Map(to.map(({ name, number }) => [name, number]));
  return from.every(({ name, number }) => (numbers.get(name) ?? number) === number);
}
