// Part of a2a-codegen 0.1.0. Do not edit.

/** A moment as protobuf counts it: whole seconds since 1970-01-01T00:00:00Z, and nanoseconds after them. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const span = /^(-)?(\d{1,12})(?:\.(\d{1,9}))?s$/;

/** The most whole seconds that protobuf allows in a duration: 10,000 years. */
const maxSpan = 315_576_000_000;

/** Reads an RFC 3339 timestamp, with any offset. Gives `undefined` for other text and for days that do not exist. */
export function parseTimestamp(text: string): Instant | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, day = "", clock = "", fraction = "", sign, hours = "0", minutes = "0"] = match;
  const utc = Date.parse(`${day}T${clock}Z`);
  // A day that the month does not have rolls over; a second of 60 and an hour of 24 do not come back the same either.
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== `${day}T${clock}`) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 * (sign === "-" ? -1 : 1);
  const seconds = utc / 1000 - offset;
  return inTimestampRange(seconds) ? { seconds, nanos: Number(fraction.padEnd(9, "0")) } : undefined;
}

/** Writes an RFC 3339 timestamp in UTC, with no, three, six or nine digits after the second. */
export function formatTimestamp({ seconds, nanos }: Instant): string {
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${text}${formatNanos(nanos)}Z`;
}

/** Tells whether protobuf can carry this second: from the year 1 to the year 9999. */
export function inTimestampRange(seconds: number): boolean {
  return seconds >= -62_135_596_800 && seconds <= 253_402_300_799;
}

/** Reads a duration such as `1.5s`. Gives `undefined` for other text and for more than 10,000 years. */
export function parseDuration(text: string): Instant | undefined {
  const match = span.exec(text);
  if (match === null) return undefined;
  const [, minus, whole = "", fraction = ""] = match;
  const seconds = Number(whole);
  const nanos = Number(fraction.padEnd(9, "0"));
  if (seconds > maxSpan) return undefined;
  return minus === undefined ? { seconds, nanos } : { seconds: 0 - seconds, nanos: 0 - nanos };
}

/** Writes a duration such as `1.500s`, with no, three, six or nine digits after the second. */
export function formatDuration({ seconds, nanos }: Instant): string {
  const minus = seconds < 0 || nanos < 0 ? "-" : "";
  return `${minus}${Math.abs(seconds)}${formatNanos(Math.abs(nanos))}s`;
}

function formatNanos(nanos: number): string {
  if (nanos === 0) return "";
  const digits = String(nanos).padStart(9, "0");
  if (digits.endsWith("000000")) return `.${digits.slice(0, 3)}`;
  return digits.endsWith("000") ? `.${digits.slice(0, 6)}` : `.${digits}`;
}
