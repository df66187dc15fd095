import { ts } from "ts-morph";
import { hasModifier, unwrap } from "./parse.js";
import type { Member } from "./members.js";
import type { Scope } from "./scope.js";
import type { ChangedMethod, ServiceMethod } from "./types.js";

/** Difference between the signature of a method and the interface. */
export type Difference = Pick<ChangedMethod, "part" | "found" | "expected">;

/** Parts of a type annotation: whether it is a stream, and the names of the output's types that it contains. */
interface Reading {
  readonly streams: boolean | undefined;
  /** `undefined` represents a type that cannot be compared. */
  readonly names: readonly (string | undefined)[];
}

const streams = ["AsyncIterable", "AsyncGenerator", "AsyncIterableIterator", "AsyncIteratorObject", "ReadableStream"];
const promises = ["Promise", "PromiseLike", "Awaited"];

/** Compares the signature of a method with the interface. Skips parameters and results without a type. */
export function differences(member: Member, method: ServiceMethod, scope: Scope): Difference[] {
  const node = functionOf(member, scope);
  if (node === undefined) return [];
  const found: Difference[] = [];
  const [first] = node.parameters;
  const { request, response } = method;
  if (first?.type !== undefined) {
    const { streams: isStream, names } = read(first.type, scope);
    const fits = names.some((name) => name === undefined || request.names.includes(name));
    if (!fits || (isStream !== undefined && isStream !== request.streams))
      found.push({ part: "request", found: textOf(first.type), expected: request.shown });
  }
  const { streams: isStream, names } = result(node, scope);
  const fits = names.every((name) => name === undefined || name === "never" || response.names.includes(name));
  if (!fits || (isStream !== undefined && isStream !== response.streams))
    found.push({ part: "response", found: resultText(node), expected: response.shown });
  return found;
}

/** Returns the function of a member: a method itself, or the function that is the value of a property. */
function functionOf(member: Member, scope: Scope): ts.SignatureDeclaration | undefined {
  if (ts.isMethodDeclaration(member)) return member;
  if (ts.isShorthandPropertyAssignment(member)) return declaredFunction(member.name, scope);
  const holds = ts.isPropertyDeclaration(member) || ts.isPropertyAssignment(member);
  return holds && member.initializer !== undefined ? declaredFunction(unwrap(member.initializer), scope) : undefined;
}

function declaredFunction(expression: ts.Expression, scope: Scope): ts.SignatureDeclaration | undefined {
  if (ts.isArrowFunction(expression) || ts.isFunctionExpression(expression)) return expression;
  if (!ts.isIdentifier(expression)) return undefined;
  const [node] = scope.declarationsOf(expression);
  if (node === undefined || ts.isFunctionDeclaration(node)) return node;
  const made = ts.isVariableDeclaration(node) && node.initializer !== undefined ? unwrap(node.initializer) : undefined;
  return made !== undefined && (ts.isArrowFunction(made) || ts.isFunctionExpression(made)) ? made : undefined;
}

function result(node: ts.SignatureDeclaration, scope: Scope): Reading {
  if (node.type !== undefined) return read(node.type, scope);
  const isAsync = hasModifier(node, ts.SyntaxKind.AsyncKeyword);
  const isGenerator = "asteriskToken" in node && node.asteriskToken !== undefined;
  return { streams: isGenerator ? true : isAsync ? false : undefined, names: [] };
}

function resultText(node: ts.SignatureDeclaration): string {
  if (node.type !== undefined) return textOf(node.type);
  return "asteriskToken" in node && node.asteriskToken !== undefined ? "a stream" : "a promise";
}

function textOf(type: ts.TypeNode): string {
  return type.getText().replaceAll(/\s+/g, " ");
}

function read(type: ts.TypeNode, scope: Scope, visited: ReadonlySet<ts.Node> = new Set()): Reading {
  if (visited.has(type)) return unknown;
  const again = (inner: ts.TypeNode): Reading => read(inner, scope, new Set([...visited, type]));
  if (ts.isParenthesizedTypeNode(type)) return again(type.type);
  if (ts.isUnionTypeNode(type)) return combined(type.types.map(again));
  if (type.kind === ts.SyntaxKind.VoidKeyword || type.kind === ts.SyntaxKind.UndefinedKeyword) return one("void");
  if (type.kind === ts.SyntaxKind.NeverKeyword) return { streams: undefined, names: ["never"] };
  if (ts.isImportTypeNode(type)) return one(scope.originOfImportType(type));
  if (!ts.isTypeReferenceNode(type)) return unknown;
  const origin = scope.originOf(type.typeName);
  if (origin !== undefined) return one(origin);
  if (!ts.isIdentifier(type.typeName)) return unknown;
  const { text } = type.typeName;
  const [declared] = scope.declarationsOf(type.typeName);
  if (declared !== undefined) return ts.isTypeAliasDeclaration(declared) ? again(declared.type) : unknown;
  if (scope.imports.has(text)) return unknown;
  const [argument] = type.typeArguments ?? [];
  if (promises.includes(text) && argument !== undefined) return { ...again(argument), streams: false };
  if (streams.includes(text))
    return { streams: true, names: argument === undefined ? [undefined] : again(argument).names };
  return textOf(type) === "Record<string, never>" ? one("Record<string, never>") : unknown;
}

const unknown: Reading = { streams: undefined, names: [undefined] };

function one(name: string | undefined): Reading {
  return { streams: name === undefined ? undefined : false, names: [name] };
}

function combined(readings: readonly Reading[]): Reading {
  const kinds = new Set(readings.map((reading) => reading.streams));
  const [only] = kinds;
  return { streams: kinds.size === 1 ? only : undefined, names: readings.flatMap(({ names }) => names) };
}
