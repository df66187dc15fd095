/**
 * A timestamp or a duration as protobuf represents it: whole seconds and additional nanoseconds.
 * The seconds of a timestamp count from 1970-01-01T00:00:00Z.
 */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

const rfc3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
/**
 * Matches most timestamps in canonical form. Days after the 28th do not match, because checking
 * them requires a calendar.
 */
const canonical =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.(?:\d{3}){0,2}(?!000)\d{3})?Z$/;
const span = /^(-)?(\d{1,12})(?:\.(\d{1,9}))?s$/;

/** Maximum number of seconds in a protobuf duration: 10,000 years. */
const maxSpan = 315_576_000_000;

/** Seconds in 400 years, after which the calendar repeats. */
const cycle = 12_622_780_800;

/**
 * Parses an RFC 3339 timestamp with any offset. Returns `undefined` for other strings and for days
 * that do not exist. Validators call this function for every task, so it reads digits by position,
 * which takes a tenth of the time of `Date.parse`.
 */
export function parseTimestamp(text: string): Instant | undefined {
  if (!rfc3339.test(text) || !hasDay(text)) return undefined;
  // `Date.UTC` treats years below 100 as years of the 20th century, so 400 years are added.
  const later = Date.UTC(
    yearOf(text) + 400,
    two(text, 5) - 1,
    two(text, 8),
    two(text, 11),
    two(text, 14),
    two(text, 17),
  );
  const local = later / 1000 - cycle;
  const sign = text.charAt(text.length - 6);
  const hasOffset = sign === "+" || sign === "-";
  const end = text.length - (hasOffset ? 6 : 1);
  const offset = hasOffset ? 60 * two(text, end + 1) + two(text, end + 4) : 0;
  const seconds = local - offset * (sign === "-" ? -60 : 60);
  if (!inTimestampRange(seconds)) return undefined;
  const hasFraction = end > 19;
  return { seconds, nanos: hasFraction ? Number(text.slice(20, end).padEnd(9, "0")) : 0 };
}

/**
 * Returns the canonical form, in UTC, of an RFC 3339 timestamp with any offset. Returns `undefined`
 * for other strings and for days that do not exist. Parsing and then formatting the timestamp would
 * return the same result, but would add more code to every client.
 */
export function canonicalTimestamp(text: string): string | undefined {
  // `canonical` only matches days up to the 28th, which exist in every month.
  if (canonical.test(text)) return text;
  const [, local = "", day, fraction = "", zone = ""] = rfc3339.exec(text.toUpperCase()) ?? [];
  // A day that does not exist in the month becomes a day of the next month, or an invalid date. A
  // string that does not match also becomes an invalid date.
  if (new Date(`${local}Z`).getUTCDate() !== Number(day)) return undefined;
  const utc = new Date(local + zone).toISOString();
  // The sign of a year outside of 0 to 9999 precedes all digits.
  const isInRange = utc > "0001";
  return isInRange ? `${utc.slice(0, 19)}${decimals(fraction.padEnd(9, "0"))}Z` : undefined;
}

/**
 * Returns whether a string is an RFC 3339 timestamp in UTC, with `T` and `Z`. Checks days after the
 * 28th with a calendar.
 */
export function isUtcTimestamp(text: string): boolean {
  if (canonical.test(text)) return true;
  const isUtc = text.charAt(10) === "T" && text.endsWith("Z");
  // The year 0 is out of range.
  return isUtc && rfc3339.test(text) && hasDay(text) && text > "0001";
}

/** Returns whether the month of a timestamp has its day. */
function hasDay(text: string): boolean {
  const [month, day] = [two(text, 5), two(text, 8)];
  if (day < 29) return true;
  if (month !== 2) return day <= 30 + ((month ^ (month >> 3)) & 1);
  const year = yearOf(text);
  return day === 29 && year % 4 === 0 && (year % 100 > 0 || year % 400 === 0);
}

function yearOf(text: string): number {
  return 100 * two(text, 0) + two(text, 2);
}

/** Returns the number that two digits of a string represent. The code of the digit 0 is 48. */
function two(text: string, at: number): number {
  return 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 528;
}

/**
 * The last formatted day. Most timestamps are from the same day, and creating a `Date` takes most
 * of the time of formatting.
 */
const last = { day: NaN, text: "" };

/** Formats an RFC 3339 timestamp in UTC, with zero, three, six or nine digits after the second. */
export function formatTimestamp({ seconds, nanos }: Instant): string {
  const day = Math.floor(seconds / 86_400);
  if (day !== last.day) {
    last.text = new Date(day * 86_400_000).toISOString().slice(0, 11);
    last.day = day;
  }
  const time = seconds - day * 86_400;
  const minutes = Math.floor(time / 60);
  const hour = padded(Math.floor(minutes / 60));
  const minute = padded(minutes % 60);
  return `${last.text}${hour}:${minute}:${padded(time % 60)}${formatNanos(nanos)}Z`;
}

function padded(number: number): string {
  return number < 10 ? `0${String(number)}` : String(number);
}

/** Returns whether protobuf can represent this second: years 1 to 9999. */
export function inTimestampRange(seconds: number): boolean {
  return seconds >= -62_135_596_800 && seconds <= 253_402_300_799;
}

/**
 * Returns the canonical form of a duration; `undefined` if {@link parseDuration} returns
 * `undefined`.
 */
export function canonicalDuration(text: string): string | undefined {
  const instant = parseDuration(text);
  return instant && formatDuration(instant);
}

/**
 * Parses a duration such as `1.5s`. Returns `undefined` for other strings and for more than 10,000
 * years.
 */
export function parseDuration(text: string): Instant | undefined {
  const match = span.exec(text);
  if (match === null) return undefined;
  const [, , whole = "", fraction = ""] = match;
  const seconds = Number(whole);
  const nanos = Number(fraction.padEnd(9, "0"));
  if (seconds > maxSpan) return undefined;
  const isNegative = text.startsWith("-");
  // A subtraction never returns the number -0.
  return isNegative ? { seconds: 0 - seconds, nanos: 0 - nanos } : { seconds, nanos };
}

/** Formats a duration such as `1.500s`, with zero, three, six or nine digits after the second. */
export function formatDuration({ seconds, nanos }: Instant): string {
  const minus = seconds < 0 || nanos < 0 ? "-" : "";
  return `${minus}${String(Math.abs(seconds))}${formatNanos(Math.abs(nanos))}s`;
}

function formatNanos(nanos: number): string {
  return nanos === 0 ? "" : decimals(String(nanos).padStart(9, "0"));
}

/** Shortens nine decimal digits to zero, three, six or nine digits without a loss. */
function decimals(digits: string): string {
  return `.${digits}`.replace(/\.?(?:000)+$/, "");
}
