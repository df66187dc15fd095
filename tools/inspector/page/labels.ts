import { visible } from "../../../support/visible.js";

/** Returns at most `limit` characters of a string on one line, for labels. */
export function brief(text: string, limit = 80): string {
  // The text may have megabytes, and white space is shortened, so read a part that is long enough.
  const line = visible(text.slice(0, limit * 4).replace(/\s+/g, " "));
  return line.length > limit || text.length > limit * 4 ? `${line.slice(0, limit - 1)}…` : line;
}

/** Returns the label of a button that displays more of a text. */
export function moreText(hidden: number): string {
  return `Show more (${hidden.toLocaleString("en")} more characters)`;
}

/** Returns a value as indented JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2);
}

/** Returns a number of bytes with its unit. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 2 ** 20
    ? `${(bytes / 1_024).toFixed(1)} kB`
    : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

/** Returns a duration in milliseconds with its unit. */
export function timeText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** Returns a number with its noun: `1 event`, `5,000 events`. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a duration with its units, from milliseconds to days. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return timeText(ms);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Returns a time of the clock, with the date unless it is today. */
export function clockText(at: number, now = Date.now()): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  if (new Date(now).toDateString() === date.toDateString()) return clock;
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join("-");
  return `${day} ${clock}`;
}
