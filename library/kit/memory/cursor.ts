import { CursorError } from "../store.js";
import type { Position } from "./order.js";

/** Encodes the position of the last task on a page as a cursor. */
export function cursorOf({ time, id }: Position): string {
  return `${String(time)}_${id}`;
}

/**
 * Decodes a cursor.
 * @throws A {@link CursorError} if `cursorOf` did not create the cursor.
 */
export function positionOf(cursor: string): Position {
  const match = /^(-?\d+(?:\.\d+)?)_(.+)$/s.exec(cursor);
  if (match === null) throw new CursorError("The cursor was not issued by this store");
  const [, time, id = ""] = match;
  return { time: Number(time), id };
}
