import { isObject, maxDepth } from "../../runtime/base/json.js";

/**
 * Returns a value as canonical JSON (RFC 8785): members sorted by the UTF-16 code units of their
 * names, no whitespace, and numbers as JavaScript writes them. Members that are `undefined` are
 * omitted.
 * @throws A `TypeError` if the value has no canonical form: a number is not finite, text contains
 *   half of a surrogate pair, the nesting is too deep, or a value is not JSON.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

type Path = readonly (string | number)[];

function write(value: unknown, path: Path): string {
  if (path.length >= maxDepth)
    throw unwritable(path, `is nested deeper than ${String(maxDepth)} levels`);
  if (typeof value === "string") return quoted(value, path);
  if (typeof value === "number" && !Number.isFinite(value))
    throw unwritable(path, `is ${String(value)}`);
  if (Array.isArray(value))
    return `[${value.map((item, index) => write(item, [...path, index])).join(",")}]`;
  // JavaScript writes numbers as RFC 8785 requires, including `0` for negative zero.
  if (value === null || typeof value === "number" || typeof value === "boolean")
    return JSON.stringify(value);
  if (!isObject(value)) throw unwritable(path, `is of type ${typeof value}`);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  // `sort` compares code units. Sorting by code points would order names outside the basic plane
  // differently.
  const members = names
    .sort()
    .map((name) => `${quoted(name, path)}:${write(value[name], [...path, name])}`);
  return `{${members.join(",")}}`;
}

function quoted(text: string, path: Path): string {
  // `JSON.stringify` would escape such a code unit. However, the code unit has no UTF-8 form, and
  // other implementations replace or reject it.
  if (/\p{Surrogate}/u.test(text)) throw unwritable(path, "contains half of a surrogate pair");
  return JSON.stringify(text);
}

function unwritable(path: Path, problem: string): TypeError {
  return new TypeError(
    `The value at ${JSON.stringify(`/${path.join("/")}`)} ${problem}, so it has no canonical JSON`,
  );
}

/**
 * Matches the strings and the braces in a JSON text. The second group only matches if the string is
 * the name of a member.
 */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * Throws a `SyntaxError` if an object in a JSON text has two members of the same name. Parsers
 * disagree about the value of such a member: `JSON.parse` returns the last value, and the signature
 * may cover the first value.
 *
 * @param text - valid JSON. For other text, the search could take quadratic time
 */
export function assertUniqueNames(text: string): void {
  const open: Set<unknown>[] = [];
  for (const [token, string = "", colon = ""] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== "") {
      // Parse the name, because two names can be equal although they contain different escapes.
      const name: unknown = JSON.parse(string);
      const names = open.at(-1);
      if (names?.has(name) === true)
        throw new SyntaxError(`The JSON has the member ${string} twice in one object`);
      names?.add(name);
    }
  }
}
