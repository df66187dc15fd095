import { ts } from "ts-morph";
import { hasModifier, isOfOutput, streamTypes, type Scope } from "./scope.js";
import type { ChangedMethod, ServiceMethod, ValueShape } from "./types.js";

/** Difference between the signature of a method and the interface. */
export type Difference = Pick<ChangedMethod, "part" | "found" | "expected">;

/** A value that a type allows. An absent property cannot be compared. */
interface Alternative {
  readonly streams?: boolean;
  /** Name of a type of the output, or `void`. */
  readonly name?: string | undefined;
}

const promises = ["Promise", "PromiseLike"];

/**
 * Compares a signature of a method with the interface. Skips parameters and results without a type.
 */
export function differences(
  node: ts.SignatureDeclaration,
  { request, response }: ServiceMethod,
  { checker }: Scope,
): Difference[] {
  const found: Difference[] = [];
  const given = node.parameters[0]?.type;
  const alternatives = (type: ts.TypeNode): readonly Alternative[] =>
    alternativesOf(checker.getTypeFromTypeNode(type), checker);
  if (given !== undefined && !alternatives(given).some((value) => fits(value, request)))
    found.push({ part: "request", found: textOf(given), expected: request.shown });
  const returned = node.type === undefined ? [untyped(node)] : alternatives(node.type);
  if (!returned.every((value) => fits(value, response))) {
    const form = untyped(node).streams === true ? "a stream" : "a promise";
    const shown = node.type === undefined ? form : textOf(node.type);
    found.push({ part: "response", found: shown, expected: response.shown });
  }
  return found;
}

/** Returns the result of a function without a return type. */
function untyped(node: ts.SignatureDeclaration): Alternative {
  if ("asteriskToken" in node && node.asteriskToken !== undefined) return { streams: true };
  return hasModifier(node, ts.SyntaxKind.AsyncKeyword) ? { streams: false } : {};
}

function fits({ streams: isStream, name }: Alternative, shape: ValueShape): boolean {
  const isForm = isStream === undefined || isStream === shape.streams;
  return isForm && (name === undefined || shape.names.includes(name));
}

function textOf(type: ts.TypeNode): string {
  return type.getText().replaceAll(/\s+/g, " ");
}

function alternativesOf(type: ts.Type, checker: ts.TypeChecker): readonly Alternative[] {
  if (type.isUnion()) return type.types.flatMap((part) => alternativesOf(part, checker));
  if ((type.flags & ts.TypeFlags.Never) !== 0) return [];
  if ((type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) !== 0)
    return [{ streams: false, name: "void" }];
  const { name = "", declarations = [] } = type.getSymbol() ?? {};
  if (declarations.some(isOfOutput)) return [{ streams: false, name }];
  const isStream = streamTypes.includes(name);
  if (!isStream && !promises.includes(name)) return [{}];
  const [content] = checker.getTypeArguments(type as ts.TypeReference);
  const values = content === undefined ? [{}] : alternativesOf(content, checker);
  return values.map((value: Alternative) => ({ streams: isStream, name: value.name }));
}
