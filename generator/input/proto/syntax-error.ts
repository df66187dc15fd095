import { InputError, type Diagnostic, type Place } from "../../support/diagnostics.js";
import { placeAt, type Scan, type Token } from "./scan.js";

const parserMessage = /^(?:[^:]*: )?(.*?)(?: \((?:[^,]*, )?line (\d+)\))?$/;

/** Returns an error of the parser as a diagnostic with line and column. */
export function syntaxError(file: string, scan: Scan, message: string): InputError {
  const [, problem = message, lineText] = parserMessage.exec(message) ?? [];
  const line = lineText === undefined ? undefined : Number(lineText);
  const place = placeOf(file, scan, problem, line);
  return new InputError(
    endOfFile(file, scan, problem) ??
      expectedSign(file, scan, problem, line) ?? {
        place,
        problem: inWords(problem),
        remedy: "Correct the syntax there",
      },
  );
}

/** Returns the location of the token that a message quotes, of the declaration that it names, or of its line. */
function placeOf(file: string, { tokens, declarations }: Scan, problem: string, line: number | undefined): Place {
  const quoted = /'([^']*)'/.exec(problem)?.[1] ?? "";
  const onLine = tokens.filter((candidate) => candidate.line === line);
  const token = onLine.find(({ text }) => text === quoted) ?? onLine.find(({ text }) => quoted.startsWith(text));
  if (token !== undefined) return placeAt(file, token);
  const owner = / in (?:Type|Enum|Service) \.?(\S+)$/.exec(problem)?.[1];
  const declared = declarations.find(({ path }) => path === owner || owner?.endsWith(`.${path}`));
  if (declared !== undefined) return declared.place;
  const near = tokens.findLast((candidate) => line === undefined || candidate.line <= line);
  return near === undefined ? { file, line: line ?? 1, column: 1 } : placeAt(file, near);
}

function endOfFile(file: string, { tokens }: Scan, problem: string): Diagnostic | undefined {
  if (!/^illegal [a-z ]+ 'null'/.test(problem)) return undefined;
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.text === "{") open.push(token);
    else if (token.text === "}") open.pop();
  }
  const last = open.at(-1) ?? tokens.at(-1);
  const what = open.length > 0 ? 'the "{" here is never closed' : "the file ends in the middle of a statement";
  const remedy = open.length > 0 ? 'Close it with "}"' : "Complete the statement";
  return { ...(last && { place: placeAt(file, last) }), problem: what, remedy };
}

/** Returns the location of a missing sign: after the token before it, which may be on an earlier line. */
function expectedSign(file: string, { tokens }: Scan, problem: string, line?: number): Diagnostic | undefined {
  const [, found, sign] = /^illegal token '(.*)', '(.*)' expected$/.exec(problem) ?? [];
  const at = tokens.findIndex((token) => token.line === line && token.text === found);
  const before = tokens[at - 1];
  if (before === undefined || sign === undefined) return undefined;
  const place = { file, line: before.line, column: before.column + before.text.length };
  return { place, problem: `"${sign}" is missing before "${found}"`, remedy: "Add it" };
}

const kinds: Readonly<Record<string, string>> = { "type name": "name of a type", id: "number" };

function inWords(problem: string): string {
  if (problem.startsWith("max depth")) return "the declarations are nested too deeply";
  const [, kind, text] = /^illegal ([a-z ]+) '(.*)'$/.exec(problem) ?? [];
  if (kind === undefined || text === undefined) return `the proto does not parse: ${problem}`;
  return kind === "token" ? `"${text}" cannot stand here` : `"${text}" is not a valid ${kinds[kind] ?? kind}`;
}
