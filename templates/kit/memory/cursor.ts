import { CursorError } from "../store.js";
import type { Place } from "./order.js";

/** Encodes the position of the last task on a page. */
export function cursorOf({ time, id }: Place): string {
  return `${String(time)}_${id}`;
}

/**
 * Decodes a cursor.
 * @throws A {@link CursorError} if `cursorOf` has not written the cursor.
 */
export function placeOf(cursor: string): Place {
  const match = /^(-?\d+(?:\.\d+)?)_(.+)$/s.exec(cursor);
  if (match === null) throw new CursorError("The cursor is none of this store");
  const [, time, id = ""] = match;
  return { time: Number(time), id };
}
