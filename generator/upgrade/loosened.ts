import type { ts } from "ts-morph";
import type { Protocol } from "../protocol/model/types.js";
import { messagesOf } from "./parts.js";
import type { NameNode, Symbols } from "./symbols.js";

/**
 * Returns the required properties of the earlier version that are optional in the later version, by
 * their earlier paths. `types` and `members` contain the new names.
 */
export function loosenedBetween(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const now = new Map(messagesOf(after).map((message) => [message.name, message]));
  return new Map(
    messagesOf(before).flatMap(({ name, fields }) =>
      fields.flatMap((field) => {
        const path = `${name}.${field.name}`;
        const [type, key] = [types.get(name) ?? name, members.get(path) ?? field.name];
        const found = now.get(type)?.fields.find((candidate) => candidate.name === key);
        const isLoosened =
          field.presence === "required" && found !== undefined && found.presence !== "required";
        return isLoosened && found.oneof === undefined ? [[path, `${type}.${key}`] as const] : [];
      }),
    ),
  );
}

/**
 * Returns the members of the output that the code around a position reads, directly or through a
 * destructured variable. Considers the smallest statement or class member at the position.
 */
export function membersReadAround(
  node: ts.Node,
  { ts: compiler, checker, symbols }: Reading,
): string[] {
  let outer = node;
  while (!isUnit(outer, compiler) && !compiler.isSourceFile(outer.parent)) outer = outer.parent;
  const found = new Set<string>();
  const visit = (inner: ts.Node): void => {
    if (compiler.isIdentifier(inner)) for (const path of pathsRead(inner)) found.add(path);
    inner.forEachChild(visit);
  };
  const pathsRead = (name: NameNode): readonly string[] => {
    const { parent } = name;
    const isShorthand = compiler.isShorthandPropertyAssignment(parent);
    const symbol = isShorthand
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(name);
    const bound = symbol?.declarations?.find((declaration) =>
      compiler.isBindingElement(declaration),
    );
    const key = bound && (bound.propertyName ?? bound.name);
    const isKey = compiler.isPropertyAssignment(parent) && parent.name === name;
    const source = key !== undefined && compiler.isIdentifier(key) ? symbols.membersAt(key) : [];
    return isKey || isShorthand ? source : [...symbols.membersAt(name), ...source];
  };
  visit(outer);
  return [...found];
}

/** Dependencies of {@link membersReadAround}. */
interface Reading {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly symbols: Symbols;
}

function isUnit(node: ts.Node, compiler: typeof ts): boolean {
  return (
    compiler.isStatement(node) ||
    compiler.isClassElement(node) ||
    compiler.isPropertyAssignment(node)
  );
}
