import { note } from "./notes.js";

/** Notes the step, and returns a price. Throws if the item is `broken`. */
export async function reserve(item: string): Promise<number> {
  await note(`reserve ${item}`);
  if (item === "broken") throw new Error("The item is broken");
  return item.length;
}

/** Notes the step, and returns a receipt. */
export async function charge(price: number): Promise<string> {
  await note("charge");
  return `receipt for ${String(price)} €`;
}
