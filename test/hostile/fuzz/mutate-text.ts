import type { Random } from "../../support/random/random.js";

/** Names that mean something to TypeScript, to JavaScript, or to the output. */
const names = [
  ...[
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "then",
    "class",
    "default",
    "await",
  ],
  ...["enum", "function", "import", "arguments", "eval", "Object", "Record", "Promise", "string"],
  ...[
    "value",
    "issues",
    "wire",
    "encode",
    "index",
    "Task",
    "Message",
    "A2AClient",
    "Schema",
    "kind",
    "type",
    "_",
    "a__b",
  ],
];

const numbers = [
  "0",
  "-1",
  "1",
  "19000",
  "536870911",
  "536870912",
  "2147483648",
  "1e400",
  "0x7fffffff",
  "9".repeat(40),
];

const strings = [
  '""',
  '"\\u002a/"',
  '"a\\"b"',
  '"${x}"',
  '"`"',
  '"\\n"',
  '"</script>"',
  "'*/'",
  '"\\xff"',
  '"/{a=**}"',
  '"{"',
];

/**
 * Text that would break out of a comment, a string or a template, if anything were pasted without
 * care.
 */
export const nastyText = [
  "*/ process.exit(1); /*",
  "`; process.exit(1); `",
  "${process.exit(1)}",
  '"; process.exit(1); "',
  "'; process.exit(1); '",
  "</script><script>alert(1)</script>",
  "\\u002a/ process.exit(1)",
  "\\",
  "*",
  "/",
  "*\\/",
  "**/",
  "/*",
  "//",
  "{{header}} {{{this}}} {{/each}}",
  "@deprecated @see {@link",
  "-->",
  "\u2028process.exit(1)\u2029",
  "é€😀",
  "\u0085\u000b\u000c\u0001",
  "\ufeff",
  "# x: [",
  "--- !!js/function",
  "x".repeat(300),
  "",
];

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|[\s\S]/g;

/**
 * A text that is made of tokens, with a few of them dropped, doubled, swapped, or replaced by nasty
 * ones.
 */
export function changedTokens(text: string, random: Random): string {
  const tokens = text.match(token) ?? [];
  const words = [...tokens.keys()].filter((index) => !/^(?:\s|\/[/*])/.test(tokens[index] ?? ""));
  const place = () => words[random.below(words.length || 1)] ?? 0;
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const [at, other] = [place(), place()];
    const [found = "", instead = ""] = [tokens[at], tokens[other]];
    switch (random.below(8)) {
      case 0:
        tokens[at] = "";
        break;
      case 1:
        tokens[at] = `${found} ${found}`;
        break;
      case 2:
        [tokens[at], tokens[other]] = [instead, found];
        break;
      case 3:
        tokens[at] = instead;
        break;
      default:
        tokens[at] = nastyToken(found, random);
    }
  }
  return tokens.join("");
}

/** Something of the same sort as a token. */
function nastyToken(found: string, random: Random) {
  if (/^\d/.test(found)) return random.pick(numbers);
  if (/^["']/.test(found))
    return random.oneIn(3) ? `"${random.pick(names)}"` : random.pick(strings);
  if (/^\w/.test(found)) return random.pick(names);
  return random.pick([
    ";",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    "=",
    ",",
    ".",
    "-",
    "\u0000",
    "\ud800",
    "//",
    "/*",
    '"',
  ]);
}

/** A text with the name of something in it replaced by a nasty one, everywhere. */
export function renamed(text: string, random: Random): string {
  const found = [...new Set(text.match(/\b[a-zA-Z_]\w{3,}\b/g) ?? [])];
  const old = found[random.below(found.length || 1)] ?? "";
  if (old === "") return text;
  const name = random.pick(names);
  return text.replaceAll(new RegExp(`\\b${old}\\b`, "g"), () => name);
}

/** A line with several hostile fragments. */
export function nastyLine(random: Random): string {
  return [random.pick(nastyText), ...random.list(2, () => random.pick(nastyText))].join(" ");
}

/** Texts with fewer lines: without the second half, and so on down to one line. */
export function* smallerText(text: string): Iterable<string> {
  const lines = text.split("\n");
  for (
    let size = Math.ceil(lines.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < lines.length; at += size)
      yield [...lines.slice(0, at), ...lines.slice(at + size)].join("\n");
}

/** The lines in which a text differs from its original. */
export function differingLines(text: string, from: string): string {
  const [lines, old] = [text.split("\n"), from.split("\n")];
  const added = lines.filter((line) => !old.includes(line)).map((line) => `+${line}`);
  const removed = old.filter((line) => !lines.includes(line)).map((line) => `-${line}`);
  return [...removed, ...added].join("\n");
}
