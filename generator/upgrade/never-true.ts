import type { ts } from "ts-morph";
import type { Checked } from "./project.js";

/**
 * Condition in the user's code that is never true. It compiles, but the code that depends on it
 * never runs.
 */
export interface NeverTrue {
  readonly fileName: string;
  readonly start: number;
  readonly message: string;
  /** Names of the types of the tested value. */
  readonly types: readonly string[];
}

/**
 * Finds conditions in the user's files that are never true: calls to the output's guards, and
 * `"key" in value` for values whose types the output declares.
 */
export function neverTrueIn(
  project: Checked,
  isOutput: (fileName: string) => boolean,
): NeverTrue[] {
  return project.files.flatMap((file) => new Finder(file, project, isOutput).found);
}

class Finder {
  readonly found: NeverTrue[] = [];
  readonly #file: ts.SourceFile;
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #isOutput: (fileName: string) => boolean;

  constructor(
    file: ts.SourceFile,
    { ts, checker }: Checked,
    isOutput: (fileName: string) => boolean,
  ) {
    this.#file = file;
    this.#ts = ts;
    this.#checker = checker;
    this.#isOutput = isOutput;
    this.#visit(file);
  }

  #visit(node: ts.Node): void {
    if (this.#ts.isCallExpression(node)) this.#call(node);
    else if (this.#ts.isBinaryExpression(node)) this.#membership(node);
    node.forEachChild((child) => this.#visit(child));
  }

  /** Reports `isTask(value)` if no value of the type can be a task. */
  #call(node: ts.CallExpression): void {
    const signature = this.#checker.getResolvedSignature(node);
    const predicate = signature && this.#checker.getTypePredicateOfSignature(signature);
    if (signature?.declaration === undefined || predicate?.type === undefined) return;
    if (!this.#isOutput(signature.declaration.getSourceFile().fileName)) return;
    const value = node.arguments[predicate.parameterIndex ?? 0];
    const { type } = predicate;
    const isDisjoint = (member: ts.Type): boolean =>
      !this.#checker.isTypeAssignableTo(type, member) &&
      !this.#checker.isTypeAssignableTo(member, type);
    const name = node.expression.getText(this.#file);
    if (value !== undefined && this.#valuesOf(value)?.every(isDisjoint) === true)
      this.#add(node, value, `${name}(…) can no longer be true here`);
  }

  /** Reports `"kind" in value` if no value of the type has the key. */
  #membership({ left, operatorToken, right }: ts.BinaryExpression): void {
    if (operatorToken.kind !== this.#ts.SyntaxKind.InKeyword || !this.#ts.isStringLiteralLike(left))
      return;
    const isMissing = (member: ts.Type): boolean =>
      this.#checker.getPropertyOfType(member, left.text) === undefined &&
      this.#checker.getIndexInfosOfType(member).length === 0;
    if (this.#valuesOf(right)?.every(isMissing) === true)
      this.#add(left, right, `${left.getText(this.#file)} is no longer a key here`);
  }

  #add(node: ts.Node, value: ts.Expression, message: string): void {
    const type = this.#checker.getTypeAtLocation(value);
    const symbols = [
      type.aliasSymbol,
      ...membersOf(type).map((member) => member.aliasSymbol ?? member.getSymbol()),
    ];
    const names = symbols.flatMap((symbol) => (symbol === undefined ? [] : [symbol.name]));
    this.found.push({
      fileName: this.#file.fileName,
      start: node.getStart(this.#file),
      message,
      types: [...new Set(names)].filter((name) => !name.startsWith("__")),
    });
  }

  /**
   * Returns the types of a value, except `undefined` and `null`. If the output does not declare all
   * of these types, returns `undefined`.
   */
  #valuesOf(value: ts.Expression): readonly ts.Type[] | undefined {
    const { Undefined, Null } = this.#ts.TypeFlags;
    const members = membersOf(this.#checker.getTypeAtLocation(value)).filter(
      ({ flags }) => (flags & (Undefined | Null)) === 0,
    );
    const isOwn = (member: ts.Type): boolean =>
      (member.isIntersection() && member.types.every(isOwn)) ||
      member
        .getSymbol()
        ?.declarations?.some((node) => this.#isOutput(node.getSourceFile().fileName)) === true;
    return members.length > 0 && members.every(isOwn) ? members : undefined;
  }
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}
