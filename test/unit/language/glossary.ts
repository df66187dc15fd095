import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import type { Kind } from "./texts.js";
import type { Phrase } from "./phrases.js";

/** A word that must not be used for a term of the glossary. */
export interface Avoided {
  readonly word: string;
  readonly term: string;
  /** Words after the avoided word in the cell: `in prose` or `in messages`. */
  readonly scope: string;
}

/** Returns the words in the last column of the glossary's tables. */
export function avoidedWords(
  page = readFileSync(join(packageFolder, "docs", "glossary.md"), "utf8"),
): readonly Avoided[] {
  return [...page.matchAll(/^\| ([^|]+?) +\| [^|]+ \| ([^|]*?) *\|$/gm)].flatMap(
    ([, term = "", cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`([^`,]*)/g)].map(([, word = "", scope = ""]) => ({
        word,
        term,
        scope: scope.trim(),
      })),
  );
}

/** Other meaning of an avoided word, which is allowed. */
interface Sense {
  /** The allowed meaning. */
  readonly allowed: string;
  /** The meaning to avoid, if a pattern can tell it from the allowed meaning. */
  readonly avoid?: RegExp;
  /** Whether names of the generator and the templates may not contain the word either. */
  readonly names?: boolean;
}

/** Avoided words with another meaning that is allowed. */
export const senses: Readonly<Record<string, Sense>> = {
  address: { allowed: "of a webhook, a host or a server" },
  answer: {
    allowed: "to a question of an agent or of the command line",
    avoid:
      /\banswers? (?:of|from) (?:an?|the) (?:agent|server|service|call)\b|\b(?:JSON|HTTP|error) answers?\b/i,
  },
  conversation: { allowed: "the exchange of messages, as opposed to its id" },
  cursor: { allowed: "a position in a log or in a list of rows" },
  demands: { allowed: "on demand", avoid: /(?<!\bon )\bdemand(?:s|ed|ing)?\b/i },
  "count once": {
    allowed: "a value that is counted once",
    avoid: /\bmessages? (?:that )?counts? once\b/i,
  },
  fire: {
    allowed: "a timer or an event",
    avoid: /\bsignal(?: that)? (?:fires?|has fired)\b|\bfires? (?:its|the) signal\b/i,
  },
  gone: {
    allowed: "the HTTP status 410",
    avoid: /\b(?:name|field|type|option|member|operation)s? (?:that )?(?:is|are|has|have) gone\b/i,
  },
  job: { allowed: "an entry of the queue for webhook calls" },
  "left out": {
    allowed: "omitted on purpose",
    avoid: /\b(?:if|when) (?:it|they|these) (?:is|are) left out\b|\bmay be left out\b/i,
  },
  letter: {
    allowed: "of the alphabet",
    avoid: /\b(?:one|two|some|many) letters? of (?:a|the) (?:text|string)\b/i,
  },
  "may be missing": {
    allowed: "an environment variable",
    avoid: /\bfields? that may be missing\b/i,
  },
  "may go": { allowed: "to another place", avoid: /\bmay go(?! to)\b/i },
  needs: { allowed: "in the sentence of a user", avoid: /(?<!\bdo I )\bneeds?\b/i },
  "no version": { allowed: "the absence of a version", avoid: /\b(?:is|are|of) no version\b/i },
  none: { allowed: "not any", avoid: /(?<!there )\b(?:is|are) none(?! of these)\b/i },
  piece: { allowed: "a part of a file", avoid: /\bpieces?\b(?! of (?:a|the) (?:file|module)\b)/i },
  place: {
    allowed: "in place of, or a row number in SQL",
    avoid: /(?<!\b(?:in|into) (?:the |its |their )?)\bplaces?\b(?! (?:the|them|it)\b)/i,
  },
  post: {
    allowed: "to send, or an HTTP method",
    avoid: /\b(?:a|the|each|every) post (?:of|to) (?:a|the) webhook\b/i,
  },
  problem: {
    allowed: "a difficulty",
    avoid:
      /\bproblems? (?:of|in|with) (?:an?|the|its) (?:value|request|response|document|message|card)\b/i,
  },
  provider: { allowed: "of hosting", avoid: /\b(?:identity|token|auth\w*) providers?\b/i },
  question: { allowed: "that an agent or the command line asks" },
  reader: { allowed: "of a stream or of bytes", avoid: /\breaders? of (?:an?|the|its) tasks?\b/i },
  spec: { allowed: "a folder or an option", avoid: /(?<![-/\w.])specs?(?![-/\w.:])/ },
  tell: {
    allowed: "to tell apart",
    avoid:
      /\btells? (?:the |its |all )?(?:waiting )?(?:subscribers|callers|listeners|processes|workers)\b/i,
  },
  verdict: { allowed: "of a measurement or of a reviewer" },
  wants: { allowed: "does not want to", avoid: /\bwants\b/i },
  way: { allowed: "a manner" },
  wrong: {
    allowed: "incorrect, such as wrong credentials",
    avoid: /\bwrong (?:value|name|number|key|version|request|response|option)s?\b/i,
  },
};

const forms: Readonly<Record<string, string>> = {
  go: "go(?:es|ing)?|went|gone",
  has: "has|have",
  is: "is|are",
  lacks: "lack(?:s|ed|ing)?",
  needs: "needs?",
  take: "takes?|taken|taking|took",
  try: "tr(?:y|ies|ied|ying)",
};

/** Returns the pattern that finds an avoided word in all its forms. */
function patternOf(word: string) {
  const words = word.split(" ").map((each) => `(?:${forms[each] ?? `${each}(?:s|es)?`})`);
  return new RegExp(String.raw`\b${words.join(String.raw`\s+`)}\b`, "i");
}

const kindsOf: Readonly<Record<string, readonly Kind[]>> = {
  "in messages": ["message"],
  "in prose": ["prose", "comment"],
};

/** Returns the entries of each word: a word may be avoided for several terms. */
function groupsOf(words: readonly Avoided[]): ReadonlyMap<string, readonly Avoided[]> {
  return new Map(words.map(({ word }) => [word, words.filter((other) => other.word === word)]));
}

/**
 * Returns the avoided words as phrases of texts. The longest come first, as they may contain
 * others.
 */
export function termPhrases(words: readonly Avoided[]): readonly Phrase[] {
  const terms = groupsOf(words);
  const longest = [...terms].sort(([one], [other]) => other.length - one.length);
  return longest.flatMap(([word, found]) => {
    const sense = senses[word];
    const pattern = sense === undefined ? patternOf(word) : sense.avoid;
    const kinds = kindsOf[found[0]?.scope ?? ""];
    const use = found.map(({ term }) => term).join(" or ");
    return pattern === undefined ? [] : [{ pattern, use, ...(kinds !== undefined && { kinds }) }];
  });
}

/** Returns the avoided words of names: single words without a scope and without another meaning. */
export function avoidedInNames(words: readonly Avoided[]): ReadonlyMap<string, string> {
  const isName = ({ word, scope }: Avoided) =>
    /^[a-z]+$/.test(word) &&
    scope === "" &&
    (senses[word] === undefined || senses[word].names === true);
  return new Map(words.filter(isName).map(({ word, term }) => [word, term]));
}
