import type { Kind } from "./texts.js";

/** A phrase that plain technical English avoids, and the better choice. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly use: string;
  /** Kinds of texts with this rule. By default, all kinds. */
  readonly kinds?: readonly Kind[];
}

/** The start of a sentence or of a list item. */
const start = String.raw`(?:^|[.:;!?]\s|^[-*]\s)`;

/** Phrases to avoid in texts of every kind. */
export const phrases: readonly Phrase[] = [
  {
    pattern: new RegExp(String.raw`${start}Who (?![^.|]*\?)`),
    use: "the noun, such as the caller or the lease holder",
  },
  {
    pattern: new RegExp(String.raw`${start}What (?![^.|]*\?)`),
    use: "the noun, such as options, result or state",
  },
  {
    pattern: /\b(?:those|ones?) (?:that|who|which|whose)\b/i,
    use: "the noun in place of the pronoun",
  },
  {
    pattern: /\b(?:that|those) of (?:the|an?|its|their|all|other|another|each)\b/i,
    use: "the noun again, such as the name of the type",
  },
  {
    pattern: /\bwhat (?:comes|came|goes(?! wrong)|stands|there is|is there)\b/i,
    use: "the noun, such as the next events",
  },
  {
    pattern: /\b(?:nobody|somebody|everybody|anybody|whoever|whomever)\b/i,
    use: "process, client, caller, user or subscriber",
  },
  {
    pattern: /\bthere (?:is|are) (?:no|not|none)\b/i,
    use: "the missing thing as the subject, such as the id is missing",
  },
  {
    pattern:
      /\b(?:is|are) no (?!longer|more|less|fewer|better|worse|other)[a-z]+(?<!\bthere (?:is|are) no \w+)/i,
    use: "is not a …, or invalid",
  },
  { pattern: /\b(?:is|are) none(?= of|[.:;,]|$)/i, use: "is not a …, or invalid" },
  { pattern: /(?<!\bso )\bthat there (?:is|are)\b/i, use: "existing, or unknown" },
  { pattern: /\b(?:anew|in vain|for ever)\b/i, use: "again, without success, or forever" },
  { pattern: /\bbut for\b/i, use: "except for" },
  { pattern: /\bbe it\b/i, use: "whether … or …" },
  { pattern: /\bas (?:it|they) (?:is|are|was|were|came|comes?)(?=[.:;,]|$)/i, use: "unchanged" },
  {
    pattern:
      /\b(?:has|have|having) (?:the |its |their |a )?(?:task|message|caller|store|turn|call|webhook|signal|watch)s? (?:forget|count|clean|find|forgotten|fired|worked|opened|done|made)\b/i,
    use: "an active verb, such as deletes the tasks",
  },
  { pattern: /\b(?:go(?:es)?|went|gone|going) on(?! (?:to|the|a|both)\b)/i, use: "continue" },
  { pattern: /\b(?:comes?|came|coming) back\b/i, use: "is returned, or reconnects" },
  {
    pattern:
      /\b(?:card|field|config|configuration|option|manifest|header|proto|schema|table|member) (?:itself )?says\b/i,
    use: "declares, names or sets",
  },
  { pattern: /\b(?:has|have) to be\b/i, use: "must be" },
  { pattern: /\b(?:says?|said) so\b/i, use: "the thing that is declared" },
  { pattern: /\blets? in\b/i, use: "admits" },
];

/** First words of a title without a subject: a verb, a conjunction or a preposition. */
const headless = new RegExp(
  `^(?:${[
    "is are was were be has have had may might can could must does do did will would should cannot",
    "of that which who whose where what but and or because",
    "accepts adds allows answers applies asks begins blocks builds carries changes checks closes combines comes",
    "compares compiles connects contains continues converts copies counts creates decodes deletes describes detects",
    "displays encodes ends executes exists exits expands explains fails fetches finds follows formats generates gets",
    "gives goes holds ignores includes keeps knows leads leaves lets listens lists looks loses makes maps merges moves",
    "needs notes notifies obtains offers omits opens parses passes posts prefers preserves prevents prints produces",
    "provides puts reaches reads receives refers refuses rejects removes renames renders renews repeats replaces",
    "reports requires resolves responds restores resumes retries returns rewrites selects sends separates serves shows",
    "skips sorts splits starts stays stops streams subscribes survives takes tells throws treats tries uses validates",
    "verifies waits warns works wraps writes yields",
  ]
    .join(" ")
    .replaceAll(" ", "|")}) `,
);

/** Returns why a title of a test cannot be read alone, or `undefined` if it can. */
export function titleProblem(title: string): string | undefined {
  if (/^(?:[%$…]\w*)+$/.test(title)) return undefined;
  if (headless.test(title)) return "the subject is missing: start with the thing under test";
  return undefined;
}
