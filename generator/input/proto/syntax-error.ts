import type { Diagnostic, Location } from "../../../support/diagnostics.js";
import { locationAt, type Scan, type Token } from "./scan.js";

const parserMessage = /^(?:[^:]*: )?(.*?)(?: \((?:[^,]*, )?line (\d+)\))?$/;

/** An error of the parser, with line and column. */
export type SyntaxError = Diagnostic & Required<Pick<Diagnostic, "location">>;

/** Returns a parser error as a diagnostic with line and column. */
export function syntaxError(file: string, scan: Scan, thrown: string): SyntaxError {
  const [, message = thrown, lineText] = parserMessage.exec(thrown) ?? [];
  const line = lineText === undefined ? undefined : Number(lineText);
  const location = locationOf(file, scan, message, line);
  const known = endOfFile(file, scan, message) ?? expectedSign(file, scan, message, line);
  return { location, message: inWords(message), hint: "Correct the syntax there", ...known };
}

/** Returns the location that a message refers to: a quoted token, a declaration, or a line. */
function locationOf(
  file: string,
  { tokens, declarations }: Scan,
  message: string,
  line: number | undefined,
): Location {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? "";
  const onLine = tokens.filter((candidate) => candidate.line === line);
  const token =
    onLine.find(({ text }) => text === quoted) ??
    onLine.find(({ text }) => quoted.startsWith(text));
  if (token !== undefined) return locationAt(file, token);
  const owner = / in (?:Type|Enum|Service) \.?(\S+)$/.exec(message)?.[1];
  const declared = declarations.find(({ path }) => path === owner || owner?.endsWith(`.${path}`));
  if (declared !== undefined) return declared.location;
  const near = tokens.findLast((candidate) => line === undefined || candidate.line <= line);
  return near === undefined ? { file, line: line ?? 1, column: 1 } : locationAt(file, near);
}

function endOfFile(file: string, { tokens }: Scan, message: string): Diagnostic | undefined {
  if (!/^illegal [a-z ]+ 'null'/.test(message)) return undefined;
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.text === "{") open.push(token);
    else if (token.text === "}") open.pop();
  }
  const last = open.at(-1) ?? tokens.at(-1);
  const what =
    open.length > 0 ? 'the "{" here is not closed' : "the file ends in the middle of a statement";
  const hint = open.length > 0 ? 'Close it with "}"' : "Complete the statement";
  return { ...(last && { location: locationAt(file, last) }), message: what, hint };
}

/**
 * Returns the location of a missing sign, which is after the preceding token. This token may be on
 * an earlier line.
 */
function expectedSign(
  file: string,
  { tokens }: Scan,
  message: string,
  line?: number,
): Diagnostic | undefined {
  const [, found, sign] = /^illegal token '(.*)', '(.*)' expected$/.exec(message) ?? [];
  const at = tokens.findIndex((token) => token.line === line && token.text === found);
  const before = tokens[at - 1];
  if (before === undefined || sign === undefined) return undefined;
  const location = { file, line: before.line, column: before.column + before.text.length };
  return { location, message: `"${sign}" is missing before "${found}"`, hint: "Add it" };
}

const kinds: Readonly<Record<string, string>> = { "type name": "name of a type", id: "number" };

function inWords(message: string): string {
  if (message.startsWith("max depth")) return "the declarations are nested too deeply";
  const [, kind, text] = /^illegal ([a-z ]+) '(.*)'$/.exec(message) ?? [];
  if (kind === undefined || text === undefined) return `the proto does not parse: ${message}`;
  return kind === "token"
    ? `"${text}" is not allowed here`
    : `"${text}" is not a valid ${kinds[kind] ?? kind}`;
}
