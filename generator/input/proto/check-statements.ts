import type { Diagnostics } from "../../../support/diagnostics.js";
import { isScalar } from "./known.js";
import { locationAt, type Declaration, type Scan, type Statement, type Token } from "./scan.js";

/** An error in a statement, at one of its tokens. */
interface Finding {
  readonly at: Token | undefined;
  readonly message: string;
  readonly hint: string;
}

/**
 * Reports statements that are invalid in proto3, such as proto2 statements and combinations that
 * the grammar does not allow.
 */
export function checkStatements(
  file: string,
  { statements, declarations }: Scan,
  diagnostics: Diagnostics,
): void {
  const filled = new Set<Declaration>();
  for (const statement of statements) {
    if (statement.scope?.kind === "oneof" && statement.tokens[0]?.text !== "option")
      filled.add(statement.scope);
    const finding = findingOf(statement);
    if (finding === undefined) continue;
    const at = finding.at ?? statement.tokens[0];
    diagnostics.add(at && locationAt(file, at), finding.message, finding.hint);
  }
  for (const declaration of declarations) {
    if (declaration.kind !== "oneof" || filled.has(declaration)) continue;
    diagnostics.add(
      declaration.location,
      `oneof "${declaration.name}" has no fields`,
      "Add one, or remove the oneof",
    );
  }
}

function findingOf({ tokens, scope, end }: Statement): Finding | undefined {
  const [first, second] = tokens;
  if (first === undefined) return undefined;
  if (first.text === "extend") return extension(tokens);
  const inMessage = scope?.kind === "message" || scope?.kind === "oneof";
  if (!inMessage || first.text === "option" || first.text === "reserved") return undefined;
  if (first.text === "extensions" && /^\d/.test(second?.text ?? "")) {
    return { at: first, message: "proto3 has no extension ranges", hint: "Remove the statement" };
  }
  const group = tokens.slice(0, 2).find(({ text }) => text === "group");
  if (group !== undefined && end === "{")
    return {
      at: group,
      message: "proto3 has no groups",
      hint: "Use a nested message and a field of its type",
    };
  return scope.kind === "oneof"
    ? (memberFinding(tokens) ?? fieldFinding(tokens))
    : fieldFinding(tokens);
}

const optionsMessage =
  /^(?:(?:google\.)?protobuf\.)?(?:File|Message|Field|Oneof|ExtensionRange|Enum|EnumValue|Service|Method)Options$/;

function extension(tokens: readonly Token[]): Finding | undefined {
  const name = tokens[1]?.text.replace(/^\./, "") ?? "";
  if (optionsMessage.test(name)) return undefined;
  const hint = "Declare the fields in the message itself";
  return {
    at: tokens[1],
    message: `"${name}" is extended, but proto3 only allows extensions of options`,
    hint,
  };
}

/** Returns the error in a member of a oneof; `undefined` if the member is valid. */
function memberFinding(tokens: readonly Token[]): Finding | undefined {
  const [first, second] = tokens;
  const labels = ["repeated", "optional", "required"];
  if (first !== undefined && labels.includes(first.text) && isLabel(tokens)) {
    return { at: first, message: `a member of a oneof is ${first.text}`, hint: memberHint };
  }
  if (first?.text === "map" && second?.text === "<")
    return { at: first, message: "a member of a oneof is a map", hint: memberHint };
  if (first?.text === "oneof" && second?.text !== "=" && tokens[2]?.text !== "=")
    return {
      at: first,
      message: "a oneof is inside another oneof",
      hint: "Move it into a separate message",
    };
  return undefined;
}

const memberHint = "Wrap the field in a message, and use the message as the member";

/** Returns the error in a field; `undefined` if the field is valid. */
function fieldFinding(tokens: readonly Token[]): Finding | undefined {
  const [first, second] = tokens;
  if (isLabel(tokens) && first?.text === "required") {
    const hint = "Add `[(google.api.field_behavior) = REQUIRED]` after the field instead";
    return { at: first, message: "proto3 has no required fields", hint };
  }
  if (isLabel(tokens) && isLabel(tokens.slice(1))) {
    const message = `a field is both ${first?.text} and ${second?.text}`;
    return { at: second, message, hint: "Remove one of them" };
  }
  const [map, open] = isLabel(tokens) ? [second, tokens[2]] : [first, second];
  if (map?.text === "map" && open?.text === "<") return mapFinding(tokens, tokens.indexOf(map));
  const value = tokens.findIndex(
    ({ text }, at) => text === "default" && /^[[,]$/.test(tokens[at - 1]?.text ?? ""),
  );
  if (value < 0 || tokens[value + 1]?.text !== "=") return undefined;
  return {
    at: tokens[value],
    message: "proto3 has no default values",
    hint: "Remove it, or move it into a comment",
  };
}

function mapFinding(tokens: readonly Token[], at: number): Finding | undefined {
  const [key, , value] = tokens.slice(at + 2);
  if (at > 0) {
    const message = `a map is ${tokens[0]?.text}`;
    return { at: tokens[0], message, hint: "Remove the label, or wrap the map in a message" };
  }
  if (
    key !== undefined &&
    (!isScalar(key.text) || ["float", "double", "bytes"].includes(key.text))
  ) {
    const hint = "Use a string, a bool, or an integer type";
    return { at: key, message: `a map has keys of the type "${key.text}"`, hint };
  }
  if (value?.text !== "map" || tokens[at + 5]?.text !== "<") return undefined;
  return {
    at: value,
    message: "a map has maps as values",
    hint: "Wrap the inner map in a message",
  };
}

/**
 * Returns whether a statement starts with a label, and not with a type that has the name of a
 * label.
 */
function isLabel(tokens: readonly Token[]): boolean {
  const [first, second, third] = tokens;
  const isName = /^[\w.]+$/.test(second?.text ?? "");
  return (
    ["repeated", "optional", "required"].includes(first?.text ?? "") &&
    isName &&
    third?.text !== "="
  );
}
