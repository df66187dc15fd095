import type { ts } from "ts-morph";
import type { NameMap } from "./names.js";
import type { Checked } from "./project.js";
import type { Symbols } from "./symbols.js";

/** Request and response types in a file whose new names depend on the operation. */
export interface OperationTypes {
  /** New name for each node. */
  readonly at: ReadonlyMap<ts.Node, string>;
  /**
   * Returns all new names of an imported type; `undefined` if its name does not depend on an
   * operation.
   */
  readonly importsOf: (name: string) => readonly string[] | undefined;
}

/**
 * Finds the types of parameters and results of methods that implement operations. If several
 * operations shared a type, each of them may now have its own type.
 */
export function operationTypesIn(
  file: ts.SourceFile,
  { ts: compiler }: Checked,
  symbols: Symbols,
  names: NameMap,
): OperationTypes {
  const at = new Map<ts.Node, string>();
  const nowOf = new Map<string, Set<string>>();
  const visit = (node: ts.Node): void => {
    if (compiler.isImportDeclaration(node)) return;
    if (compiler.isIdentifier(node)) {
      const found = typeAt(node, compiler, symbols, names);
      const usual = names.exports.get(node.text) ?? node.text;
      const isType = compiler.isTypeReferenceNode(node.parent) || found !== undefined;
      if (found !== undefined) at.set(node, found);
      if (isType)
        nowOf.set(node.text, (nowOf.get(node.text) ?? new Set<string>()).add(found ?? usual));
      else if (nowOf.has(node.text) && symbols.pathsAt(node).includes(node.text))
        nowOf.get(node.text)?.add(usual);
    }
    node.forEachChild(visit);
  };
  visit(file);
  const decided = new Set([...at.keys()].map((node) => node.getText(file)));
  return {
    at,
    importsOf: (name) => (decided.has(name) ? [...(nowOf.get(name) ?? [])] : undefined),
  };
}

function typeAt(
  node: ts.Identifier,
  compiler: typeof ts,
  symbols: Symbols,
  names: NameMap,
): string | undefined {
  const reference = compiler.isQualifiedName(node.parent) ? node.parent.parent : node.parent;
  if (!compiler.isTypeReferenceNode(reference)) return undefined;
  let type: ts.Node = reference;
  while (compiler.isTypeReferenceNode(type.parent) || compiler.isUnionTypeNode(type.parent))
    type = type.parent;
  const { parent } = type;
  const isParameter = compiler.isParameter(parent) && parent.type === type;
  const method = isParameter ? parent.parent : parent;
  if (!compiler.isFunctionLike(method) || (!isParameter && method.type !== type)) return undefined;
  const holder = compiler.isPropertyAssignment(method.parent) ? method.parent : method;
  const name = holder.name;
  if (name === undefined || !compiler.isIdentifier(name)) return undefined;
  const [types] = symbols.membersAt(name).flatMap((path) => names.operationTypes.get(path) ?? []);
  const side = isParameter ? types?.request : types?.response;
  const isUsual = side === undefined || side.now === (names.exports.get(node.text) ?? node.text);
  return isUsual || side.old !== node.text || !symbols.pathsAt(node).includes(node.text)
    ? undefined
    : side.now;
}
