import { ts } from "ts-morph";
import { hasModifier, isOfOutput, type Scope } from "./scope.js";
import type { ChangedMethod, ServiceMethod } from "./types.js";

/** Difference between the signature of a method and the interface. */
export type Difference = Pick<ChangedMethod, "part" | "found" | "expected">;

/**
 * Parts of a type: whether it is a stream, and the names of the output's types that it contains.
 */
interface Reading {
  readonly streams: boolean | undefined;
  /** `undefined` represents a type that cannot be compared. */
  readonly names: readonly (string | undefined)[];
}

const streams = [
  "AsyncIterable",
  "AsyncGenerator",
  "AsyncIterableIterator",
  "AsyncIteratorObject",
  "ReadableStream",
];
const promises = ["Promise", "PromiseLike"];
const unknown: Reading = { streams: undefined, names: [undefined] };

/**
 * Compares a signature of a method with the interface. Skips parameters and results without a type.
 */
export function differences(
  node: ts.SignatureDeclaration,
  method: ServiceMethod,
  scope: Scope,
): Difference[] {
  const { request, response } = method;
  const given = node.parameters[0]?.type;
  const accepted =
    given === undefined ? unknown : read(scope.checker.getTypeFromTypeNode(given), scope);
  const isAccepted = accepted.names.some(
    (name) => name === undefined || request.names.includes(name),
  );
  const returned = resultOf(node, scope);
  const isReturned = returned.names.every((name) =>
    [undefined, "never", ...response.names].includes(name),
  );
  const differs = (isFitting: boolean, found: Reading, expected: boolean): boolean =>
    !isFitting || (found.streams !== undefined && found.streams !== expected);
  const found: Difference[] = [];
  if (given !== undefined && differs(isAccepted, accepted, request.streams))
    found.push({ part: "request", found: textOf(given), expected: request.shown });
  if (differs(isReturned, returned, response.streams)) {
    const text =
      node.type === undefined
        ? returned.streams === true
          ? "a stream"
          : "a promise"
        : textOf(node.type);
    found.push({ part: "response", found: text, expected: response.shown });
  }
  return found;
}

function resultOf(node: ts.SignatureDeclaration, scope: Scope): Reading {
  if (node.type !== undefined) return read(scope.checker.getTypeFromTypeNode(node.type), scope);
  if ("asteriskToken" in node && node.asteriskToken !== undefined)
    return { streams: true, names: [] };
  return { streams: hasModifier(node, ts.SyntaxKind.AsyncKeyword) ? false : undefined, names: [] };
}

function textOf(type: ts.TypeNode): string {
  return type.getText().replaceAll(/\s+/g, " ");
}

function read(type: ts.Type, scope: Scope): Reading {
  if (type.isUnion()) {
    const readings = type.types.map((part) => read(part, scope));
    const kinds = new Set(readings.map((reading) => reading.streams));
    return {
      streams: kinds.size === 1 ? readings[0]?.streams : undefined,
      names: readings.flatMap(({ names }) => names),
    };
  }
  if ((type.flags & ts.TypeFlags.Never) !== 0) return { streams: undefined, names: ["never"] };
  if ((type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) !== 0)
    return { streams: false, names: ["void"] };
  const symbol = type.getSymbol();
  if (symbol === undefined) return unknown;
  if (symbol.declarations?.some(isOfOutput) === true)
    return { streams: false, names: [symbol.name] };
  const isStream = streams.includes(symbol.name);
  if (!isStream && !promises.includes(symbol.name)) return unknown;
  const [argument] = scope.checker.getTypeArguments(type as ts.TypeReference);
  return {
    streams: isStream,
    names: argument === undefined ? [undefined] : read(argument, scope).names,
  };
}
