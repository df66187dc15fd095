import { markComments } from "./comments.js";
import { resolveEscapes } from "./escapes.js";
import { parserName, parserOneofName } from "./parsed-names.js";
import { isName, type Scan, type Token } from "./scan.js";

/**
 * Returns the text of a proto in the syntax that protobufjs accepts, with each token on its
 * original line. Unlike protobufjs, protoc also accepts whitespace in names, some additional names,
 * and some additional signs in numbers and option values.
 */
export function parserText(text: string, { tokens, syntax }: Scan): string {
  const isEdition = syntax?.keyword === "edition";
  const isInOption = optionFinder();
  const parts: string[] = [];
  let done = 0;
  for (const [at, token] of tokens.entries()) {
    const isOption = isInOption(token, tokens[at - 1], tokens[at + 1]);
    const isOneof = tokens[at - 1]?.text === "oneof" && tokens[at + 1]?.text === "{";
    const taken = takenForm(token.text, { isOption, isOneof, isEdition });
    const source = text.slice(token.start, token.end);
    if (taken === source) continue;
    parts.push(text.slice(done, token.start), taken, source.replace(/[^\n]/g, ""));
    done = token.end;
  }
  return markComments(resolveEscapes(parts.join("") + text.slice(done)));
}

interface Position {
  /** Whether the token is in the value of an option. */
  readonly isOption: boolean;
  /** Whether the token is the name of a oneof. */
  readonly isOneof: boolean;
  readonly isEdition: boolean;
}

function takenForm(token: string, { isOption, isOneof, isEdition }: Position): string {
  if (isOption && token === "<") return "{";
  if (isOption && token === ">") return "}";
  if (token.startsWith("0X")) return token.toLowerCase();
  if (isEdition || !isName(token)) return token;
  return isOneof ? parserOneofName(token) : parserName(token);
}

/**
 * Creates a function that returns whether a token is part of an option. It must be called with each
 * token and its neighbors in order.
 */
function optionFinder(): (
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
) => boolean {
  let [inStatement, braces, brackets] = [false, 0, 0];
  return ({ text }, before, after) => {
    const begins = text === "option" && /^[;{}]?$/.test(before?.text ?? "") && after?.text !== "=";
    if (begins && !inStatement) [inStatement, braces] = [true, 0];
    if (text === "[") brackets += 1;
    else if (text === "]") brackets -= 1;
    else if (text === "{") braces += 1;
    else if (text === "}") braces -= 1;
    else if (text === ";" && braces === 0) inStatement = false;
    return inStatement || brackets > 0;
  };
}
