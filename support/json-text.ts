import { InputError, type Location } from "./diagnostics.js";

/**
 * Parses a user's JSON file.
 *
 * @throws InputError with the location of the first syntax error
 */
export function parseJsonText(text: string, file: string, what: string, hint: string): unknown {
  const document = text.replace(/^\uFEFF/, "");
  const failure = failureOf(document);
  if (failure === undefined) return JSON.parse(document) as unknown;
  const message =
    `${what} is not valid JSON: ` +
    failure.replace(/ (?:in JSON )?at position .*$|, ".*" is not valid JSON$/s, "");
  throw new InputError({
    location: locationIn(file, document, startsLength(document)),
    message,
    hint,
  });
}

/** Returns the location at an offset in a text. */
export function locationIn(file: string, text: string, offset: number): Location {
  const lines = text.slice(0, offset).split("\n");
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function failureOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns the length of the longest prefix of a JSON document that could be valid. Uses bisection,
 * because not every engine reports the position of an error.
 */
function startsLength(text: string): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isStart(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isStart(text: string): boolean {
  const failure = failureOf(text);
  if (failure === undefined || /end of JSON|Unterminated|Bad control/.test(failure)) return true;
  return Number(/ at position (\d+)/.exec(failure)?.[1] ?? -1) >= text.length;
}
