import { CursorError } from "../store.js";
import type { Place } from "./order.js";

/** Writes the place of the last task on a page. */
export function cursorOf({ time, id }: Place): string {
  return `${String(time)}_${id}`;
}

/** Reads what `cursorOf` has written. Throws a {@link CursorError} for anything else. */
export function placeOf(cursor: string): Place {
  const [, time, id] = /^(-?\d+(?:\.\d+)?)_(.+)$/s.exec(cursor) ?? [];
  if (time === undefined || id === undefined) throw new CursorError("The cursor is none of this store");
  return { time: Number(time), id };
}
