import { CursorError } from "../store.js";
import type { Place } from "./order.js";

/** Writes the place of the last task on a page. */
export function cursorOf({ time, id }: Place): string {
  return `${String(time)}_${id}`;
}

/** Reads what `cursorOf` has written. Throws a {@link CursorError} for anything else. */
export function placeOf(cursor: string): Place {
  const match = /^(-?\d+(?:\.\d+)?)_(.+)$/s.exec(cursor);
  if (match === null) throw new CursorError("The cursor is none of this store");
  const [, time, id = ""] = match;
  return { time: Number(time), id };
}
