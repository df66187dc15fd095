import type { Diagnostics } from "../../../support/diagnostics.js";
import type { SourceText } from "../source.js";
import { checkEnums, checkFirstValues } from "./check-enums.js";
import { checkReserved } from "./check-reserved.js";
import { checkStatements } from "./check-statements.js";
import { locationAt, mostNested, type Declaration, type Scan } from "./scan.js";

const maxFieldNumber = 536_870_911;

/**
 * The maximum number of fields of a message. For each field, protobufjs iterates over all previous
 * fields, so its run time grows with the square of the number of fields.
 */
const mostFields = 5000;

/** Returns whether a file declares that it is proto3. */
export function isProto3({ syntax }: Scan): boolean {
  return syntax?.keyword === "syntax" && syntax.value === "proto3";
}

/**
 * Reports errors of a proto file that protobufjs does not report, or reports without a location. An
 * imported file may have any syntax.
 *
 * @throws InputError if the main file is not proto3, because any other error would be misleading.
 */
export function checkDeclarations(
  { file, text }: SourceText,
  scan: Scan,
  isMain: boolean,
  diagnostics: Diagnostics,
): void {
  const known = diagnostics.found.length;
  const throwIfMore = (): void => {
    if (diagnostics.found.length > known) diagnostics.throwIfAny();
  };
  checkText(file, text, scan, diagnostics);
  if (scan.tooDeep !== undefined)
    diagnostics.add(
      scan.tooDeep,
      "the declarations are nested too deeply",
      `Nest at most ${mostNested} in each other`,
    );
  throwIfMore();
  if (isMain) checkSyntax(file, scan, diagnostics);
  else checkEdition(scan, diagnostics);
  throwIfMore();
  const first = new Map<string, Declaration>();
  const numbers = new Map<string, Declaration>();
  for (const declaration of scan.declarations) {
    const { kind, name, path, location } = declaration;
    const earlier = first.get(path);
    if (earlier !== undefined) {
      const message = `${kind} "${name}" is declared twice, first in line ${earlier.location.line}`;
      diagnostics.add(location, message, "Rename or remove one of them");
    }
    first.set(path, declaration);
    if (kind === "field") checkNumber(declaration, numbers, diagnostics);
  }
  if (isProto3(scan)) {
    checkStatements(file, scan, diagnostics);
    checkFirstValues(scan, diagnostics);
  }
  checkFieldCounts(scan, diagnostics);
  checkEnums(scan, diagnostics);
  checkReserved(scan, diagnostics);
}

/** Reports messages that have too many fields to be parsed in an acceptable time. */
function checkFieldCounts({ declarations }: Scan, diagnostics: Diagnostics): void {
  const counts = new Map<string, number>();
  for (const { kind, path, location } of declarations) {
    if (kind !== "field") continue;
    const owner = path.slice(0, path.lastIndexOf("."));
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    if (count !== mostFields + 1) continue;
    diagnostics.add(
      location,
      `message "${owner}" has more than ${mostFields} fields`,
      "Split it into several messages",
    );
  }
}

/** Reports a binary file, and unterminated strings and comments. */
function checkText(file: string, text: string, { tokens }: Scan, diagnostics: Diagnostics): void {
  const foreign = text.search(/[\0\uFFFD]/);
  if (foreign >= 0) {
    const lines = text.slice(0, foreign).split("\n");
    const location = { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
    diagnostics.add(location, "the file is not UTF-8 text", "Specify a proto in UTF-8");
    return;
  }
  const endless = tokens.find((token) => ['"', "'", "/*"].includes(token.text));
  if (endless === undefined) return;
  const [what, end] = endless.text === "/*" ? ["comment", "*/"] : ["string", endless.text];
  diagnostics.add(
    locationAt(file, endless),
    `the ${what} that starts here is not closed`,
    `Close it with ${end}`,
  );
}

const openers = [
  "syntax",
  "edition",
  "import",
  "package",
  "option",
  "message",
  "enum",
  "service",
  "extend",
  ";",
];

/** Reports a file that is not proto3. */
function checkSyntax(file: string, { syntax, tokens }: Scan, diagnostics: Diagnostics): void {
  const adapt = 'Only proto3 is supported: start the file with `syntax = "proto3";` and adapt it';
  const [first] = tokens;
  const start = { file, line: 1, column: 1 };
  if (first === undefined) {
    diagnostics.add(start, "the file is empty", "Specify a proto with messages and services");
  } else if (!openers.includes(first.text)) {
    diagnostics.add(
      locationAt(file, first),
      `the file is not a proto: it starts with ${first.text}`,
      "Specify a proto",
    );
  } else if (syntax === undefined) {
    diagnostics.add(start, "the file does not declare its syntax, which makes it proto2", adapt);
  } else if (syntax.keyword === "edition") {
    diagnostics.add(syntax.location, `the file uses edition ${syntax.value}`, adapt);
  } else if (syntax.value !== "proto3") {
    diagnostics.add(syntax.location, `the file uses the syntax "${syntax.value}"`, adapt);
  } else if (syntax.location.line !== first.line || syntax.location.column !== first.column) {
    diagnostics.add(
      syntax.location,
      "the syntax must be the first statement",
      "Move it to the start of the file, and remove any other",
    );
  }
}

/** The editions that protobufjs supports. */
const editions = ["2023", "2024"];

function checkEdition({ syntax }: Scan, diagnostics: Diagnostics): void {
  if (syntax?.keyword !== "edition" || editions.includes(syntax.value)) return;
  const message = `the file uses the unknown edition ${syntax.value}`;
  diagnostics.add(
    syntax.location,
    message,
    `Only import files that use proto2, proto3 or the editions ${editions.join(" and ")}`,
  );
}

function checkNumber(
  field: Declaration,
  numbers: Map<string, Declaration>,
  diagnostics: Diagnostics,
): void {
  const number = field.number ?? 0;
  const key = `${field.path.slice(0, field.path.lastIndexOf("."))}=${number}`;
  const earlier = numbers.get(key);
  numbers.set(key, field);
  if (earlier !== undefined) {
    const message =
      `field "${field.name}" has the same number ${number} as "${earlier.name}" in line ` +
      `${earlier.location.line}`;
    diagnostics.add(field.location, message, "Use a number that no other field of the message has");
  }
  if (number < 1 || number > maxFieldNumber || (number >= 19_000 && number <= 19_999)) {
    const hint = `Use a number from 1 to ${maxFieldNumber}, except 19000 to 19999`;
    const message = `field "${field.name}" has the number ${number}, which protobuf does not allow`;
    diagnostics.add(field.location, message, hint);
  }
}
