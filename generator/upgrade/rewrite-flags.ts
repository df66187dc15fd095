import type { ts } from "ts-morph";
import { inversionNote, type Conversion } from "./conversions.js";
import { equalityOf } from "./operators.js";
import type { RewriteContext } from "./rewrite-context.js";

/** Test of a boolean, in terms of the earlier property. */
interface FlagTest {
  /** Node that the new test replaces. */
  readonly node: ts.Expression;
  /** Expression that reads the property. */
  readonly access: ts.PropertyAccessExpression;
  readonly conversion: Conversion;
  /** Value of the earlier property for which the test is true. */
  readonly isTrueFor: boolean;
  /** Whether the test is true if the earlier property is absent. */
  readonly isTrueIfAbsent: boolean;
}

/**
 * Rewrites code that reads or sets booleans whose new properties have the opposite meaning. In the
 * new code, an absent property means what the new version defines.
 */
export class FlagRewriter {
  readonly #context: RewriteContext;
  readonly #done = new Set<ts.Node>();

  constructor(context: RewriteContext) {
    this.#context = context;
  }

  visit(node: ts.Node): void {
    const { ts } = this.#context;
    if (ts.isBinaryExpression(node)) this.#binary(node);
    else if (ts.isPropertyAccessExpression(node)) this.#condition(node);
  }

  /**
   * Returns the value with the opposite meaning, as text; `undefined` if the value is not certainly
   * a boolean.
   */
  opposite(value: ts.Expression): string | undefined {
    const { ts, checker, textOf } = this.#context;
    const literal = this.#literal(value);
    if (literal !== undefined) return String(!literal);
    const { flags } = checker.getTypeAtLocation(value);
    if ((flags & (ts.TypeFlags.Boolean | ts.TypeFlags.BooleanLiteral)) === 0) return undefined;
    if (ts.isPrefixUnaryExpression(value) && value.operator === ts.SyntaxKind.ExclamationToken)
      return this.#isBoolean(value.operand) ? textOf(value.operand) : `!${textOf(value)}`;
    const isShort =
      ts.isIdentifier(value) || ts.isPropertyAccessExpression(value) || ts.isCallExpression(value);
    return isShort ? `!${textOf(value)}` : `!(${textOf(value)})`;
  }

  #isBoolean(value: ts.Expression): boolean {
    const { ts, checker } = this.#context;
    return (checker.getTypeAtLocation(value).flags & ts.TypeFlags.Boolean) !== 0;
  }

  /** Rewrites `blocking === false`, `blocking ?? true` and `blocking = true`. */
  #binary(node: ts.BinaryExpression): void {
    const { ts, file, edit } = this.#context;
    const { left, right } = node;
    const value = this.#literal(right);
    const found = value === undefined ? undefined : this.#read(left);
    if (value === undefined || found === undefined) return;
    const { QuestionQuestionToken, EqualsToken } = ts.SyntaxKind;
    const operator = node.operatorToken.kind;
    const isEqual = equalityOf(operator, ts);
    if (operator === EqualsToken) {
      this.#done.add(found.access);
      const { name } = found.access;
      edit(
        { start: name.getStart(file), end: name.end, text: found.conversion.now },
        name.text,
        found.conversion.now,
      );
      edit({ start: right.getStart(file), end: right.end, text: String(!value) });
    } else if (operator === QuestionQuestionToken)
      this.#test({ ...found, node, isTrueFor: true, isTrueIfAbsent: value });
    else if (isEqual !== undefined)
      this.#test({ ...found, node, isTrueFor: isEqual === value, isTrueIfAbsent: !isEqual });
  }

  /** Rewrites `if (blocking)` and `!blocking`. */
  #condition(node: ts.PropertyAccessExpression): void {
    const { ts } = this.#context;
    const found = this.#read(node);
    if (found === undefined || this.#done.has(node)) return;
    const { parent } = node;
    if (ts.isPrefixUnaryExpression(parent) && parent.operator === ts.SyntaxKind.ExclamationToken)
      this.#test({ ...found, node: parent, isTrueFor: false, isTrueIfAbsent: true });
    else if (this.#isTested(node))
      this.#test({ ...found, node, isTrueFor: true, isTrueIfAbsent: false });
  }

  /** Returns whether only the truth of an expression is used. */
  #isTested(node: ts.Expression): boolean {
    const { ts } = this.#context;
    const { parent } = node;
    if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent))
      return parent.expression === node;
    if (ts.isConditionalExpression(parent) && parent.condition === node) return true;
    if (ts.isPrefixUnaryExpression(parent))
      return parent.operator === ts.SyntaxKind.ExclamationToken;
    if (ts.isParenthesizedExpression(parent)) return this.#isTested(parent);
    if (!ts.isBinaryExpression(parent)) return false;
    const { AmpersandAmpersandToken, BarBarToken } = ts.SyntaxKind;
    const isLogical = [AmpersandAmpersandToken, BarBarToken].some(
      (kind) => kind === parent.operatorToken.kind,
    );
    return isLogical && this.#isTested(parent);
  }

  #test({ node, access, conversion, isTrueFor, isTrueIfAbsent }: FlagTest): void {
    const { file, edit, notice, textOf } = this.#context;
    this.#done.add(access);
    const { absent, now, was } = conversion;
    const value = !isTrueFor;
    // Without a defined meaning, an absent property has the result that it had before.
    const isTrueIfAbsentNow = absent.now === undefined ? isTrueIfAbsent : value === absent.now;
    const test = isTrueIfAbsentNow ? `!== ${String(!value)}` : `=== ${String(value)}`;
    const dot = access.questionDotToken === undefined ? "." : "?.";
    const text = `${textOf(access.expression)}${dot}${now} ${test}`;
    edit({ start: node.getStart(file), end: node.end, text }, node.getText(file), text);
    if (isTrueIfAbsentNow === isTrueIfAbsent) return;
    const [, name = ""] = was.split(".");
    const [before, after] = [isTrueIfAbsent, isTrueIfAbsentNow].map(String);
    notice(
      node,
      `"${name}" is now "${now}", with the opposite value: if it is absent, this condition was ` +
        `${before ?? ""} and is now ${after ?? ""}. ${inversionNote(conversion) ?? ""}`,
    );
  }

  /** Returns the read of an inverted property, if an expression is one. */
  #read(node: ts.Expression): Pick<FlagTest, "access" | "conversion"> | undefined {
    const { ts, symbols, structure } = this.#context;
    if (ts.isParenthesizedExpression(node)) return this.#read(node.expression);
    if (!ts.isPropertyAccessExpression(node) || ts.isPrivateIdentifier(node.name)) return undefined;
    const [found] = symbols
      .membersAt(node.name)
      .flatMap((path) => structure.converted.get(path) ?? []);
    return found?.value === "opposite" ? { access: node, conversion: found } : undefined;
  }

  #literal({ kind }: ts.Expression): boolean | undefined {
    const { TrueKeyword, FalseKeyword } = this.#context.ts.SyntaxKind;
    return kind === TrueKeyword ? true : kind === FalseKeyword ? false : undefined;
  }
}
