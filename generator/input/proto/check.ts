import type { Diagnostics } from "../../diagnostics.js";
import type { Declaration, Scan } from "./scan.js";

const maxFieldNumber = 536_870_911;

/** Reports what is wrong within one proto text and can be said better than protobufjs says it. */
export function checkDeclarations(file: string, scan: Scan, diagnostics: Diagnostics): void {
  checkSyntax(file, scan, diagnostics);
  const first = new Map<string, Declaration>();
  const numbers = new Map<string, Declaration>();
  for (const declaration of scan.declarations) {
    const { kind, name, path, place } = declaration;
    const earlier = first.get(path);
    if (earlier !== undefined) {
      const problem = `${kind} "${name}" is declared twice, first in line ${earlier.place.line}`;
      diagnostics.add(place, problem, "Rename or remove one of them");
    }
    first.set(path, declaration);
    if (kind === "field") checkNumber(declaration, numbers, diagnostics);
  }
}

function checkSyntax(file: string, { syntax }: Scan, diagnostics: Diagnostics): void {
  const remedy = 'Only proto3 is supported: start the file with `syntax = "proto3";` and adapt it';
  if (syntax === undefined) {
    diagnostics.add(
      { file, line: 1, column: 1 },
      "the file does not declare its syntax, which makes it proto2",
      remedy,
    );
  } else if (syntax.keyword === "edition") {
    diagnostics.add(syntax.place, `the file uses edition ${syntax.value}`, remedy);
  } else if (syntax.value !== "proto3") {
    diagnostics.add(syntax.place, `the file uses the syntax "${syntax.value}"`, remedy);
  }
}

function checkNumber(field: Declaration, numbers: Map<string, Declaration>, diagnostics: Diagnostics): void {
  const number = field.number ?? 0;
  const key = `${field.path.slice(0, field.path.lastIndexOf("."))}=${number}`;
  const earlier = numbers.get(key);
  numbers.set(key, field);
  if (earlier !== undefined) {
    const problem = `field "${field.name}" has the number ${number}, which "${earlier.name}" has in line ${earlier.place.line}`;
    diagnostics.add(field.place, problem, "Give it a number that no other field of the message has");
  }
  if (number < 1 || number > maxFieldNumber || (number >= 19_000 && number <= 19_999)) {
    const remedy = `Use a number from 1 to ${maxFieldNumber}, except 19000 to 19999`;
    diagnostics.add(
      field.place,
      `field "${field.name}" has the number ${number}, which protobuf does not allow`,
      remedy,
    );
  }
}
