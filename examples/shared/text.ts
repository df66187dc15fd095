/** A text, split into its first word in lower case and the rest. */
export interface Wording {
  readonly word: string;
  readonly rest: string;
}

/** Splits a text into its first word and the rest. */
export function firstWord(text: string): Wording {
  const trimmed = text.trimStart();
  const [word = ""] = trimmed.split(/\s/, 1);
  return { word: word.toLowerCase(), rest: trimmed.slice(word.length).trimStart() };
}

/** A text that begins with a number of milliseconds: `500 One word at a time`. */
export interface Paced {
  /** Duration of a pause; `undefined` if the text does not start with a number. */
  readonly pauseMs: number | undefined;
  readonly rest: string;
}

const longestPause = 60_000;

/** Splits the milliseconds, at most a minute, from the start of a text. */
export function paced(text: string): Paced {
  const [, digits, rest = ""] = /^(\d{1,9})(?:\s+(.*))?$/s.exec(text) ?? [];
  return digits === undefined
    ? { pauseMs: undefined, rest: text }
    : { pauseMs: Math.min(Number(digits), longestPause), rest };
}

const mostPieces = 4;

/**
 * Splits a text between words into at most four chunks. Joined, the chunks are equal to the text.
 */
export function piecesOf(text: string): string[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [""];
  const size = Math.ceil(words.length / mostPieces);
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += size) pieces.push(words.slice(at, at + size).join(""));
  return pieces;
}
