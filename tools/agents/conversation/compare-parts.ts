import { isObject } from "../findings.js";
import type { Part } from "./parts.js";

/** Number of characters of a text that a difference contains. */
const shownLength = 80;

/** Returns a text in quotes. A long text is cut; `from` is the index of the first character. */
export function quoted(text: string, from = 0): string {
  const rest = text.slice(from);
  const end = rest.length > shownLength ? `${rest.slice(0, shownLength - 1)}…` : rest;
  return JSON.stringify(from > 0 ? `…${end}` : end);
}

/** Returns the differences between two lists of parts, as sentences without their subject. */
export function partDifferences(saved: readonly Part[], actual: readonly Part[]): string[] {
  const count = `it has ${counted(actual.length, "part")} instead of ${saved.length}`;
  const differences = saved.flatMap((part, index) => {
    const other = actual[index];
    if (other === undefined) return [];
    const place = saved.length > 1 || actual.length > 1 ? `part ${index + 1}: ` : "";
    return partDifference(part, other).map((difference) => place + difference);
  });
  return saved.length === actual.length ? differences : [count, ...differences];
}

function partDifference(saved: Part, actual: Part): string[] {
  const [was, is] = [kindOf(saved), kindOf(actual)];
  if (was !== is) return [`it is ${is} instead of ${was}`];
  const content = contentDifference(saved, actual);
  return [
    ...(content === undefined ? [] : [content]),
    ...memberDifference("the media type", saved.mediaType, actual.mediaType),
    ...memberDifference("the file name", saved.filename, actual.filename),
  ];
}

function memberDifference(name: string, saved = "", actual = ""): string[] {
  const shown = (text: string): string => (text === "" ? "absent" : quoted(text));
  return saved === actual ? [] : [`${name} is ${shown(actual)} instead of ${shown(saved)}`];
}

function kindOf({ text, raw, url }: Part): string {
  if (text !== undefined) return "text";
  if (raw !== undefined) return "a file";
  return url !== undefined ? "a link to a file" : "data";
}

function contentDifference(saved: Part, actual: Part): string | undefined {
  if (saved.text !== undefined && actual.text !== undefined)
    return textDifference(saved.text, actual.text);
  if (saved.raw !== undefined && actual.raw !== undefined) {
    const [was, is] = [saved.raw, actual.raw].map((raw) => Math.floor((raw.length * 3) / 4));
    if (saved.raw === actual.raw) return undefined;
    return was === is
      ? "the file differs"
      : `the file differs (about ${is} bytes instead of ${was})`;
  }
  if (saved.url !== undefined && actual.url !== undefined)
    return memberDifference("the link", saved.url, actual.url)[0];
  const path = jsonDifference(saved.data, actual.data);
  return path === undefined ? undefined : `the data differs${path === "" ? "" : ` at ${path}`}`;
}

/** Returns the first difference between two texts. */
function textDifference(saved: string, actual: string): string | undefined {
  if (saved === actual) return undefined;
  const [was, is] = [saved.split(/\r?\n/), actual.split(/\r?\n/)];
  const length = Math.max(was.length, is.length);
  const at = Array.from({ length }).findIndex((_, index) => was[index] !== is[index]);
  // Only the line ends differ.
  if (at < 0) return "the line ends of the text differ";
  // Of long lines, the part around the first difference is displayed.
  const [one = "", other = ""] = [was[at], is[at]];
  const isLong = Math.max(one.length, other.length) > shownLength;
  const from = isLong ? Math.max(0, commonLength(one, other) - shownLength / 2) : 0;
  const shown = (line: string | undefined): string =>
    line === undefined ? "nothing" : quoted(line, from);
  const place = length === 1 ? "the text is" : `the text differs at line ${at + 1}:`;
  return `${place} ${shown(is[at])} instead of ${shown(was[at])}`;
}

/** Returns the number of characters at the beginning that are the same. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Returns the path of the first difference between two values as a JSON pointer. */
function jsonDifference(saved: unknown, actual: unknown): string | undefined {
  if (saved === actual) return undefined;
  const areLists = Array.isArray(saved) && Array.isArray(actual);
  if (!areLists && !(isObject(saved) && isObject(actual))) return "";
  const [was, is] = [new Map(Object.entries(saved)), new Map(Object.entries(actual))];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const path = was.has(name) && is.has(name) ? jsonDifference(was.get(name), is.get(name)) : "";
    if (path === undefined) continue;
    return `/${name.slice(0, 200).replaceAll("~", "~0").replaceAll("/", "~1")}${path}`;
  }
  return undefined;
}

/** Returns a number with its noun: `1 part`, `2 parts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
