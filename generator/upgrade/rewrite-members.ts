import type { ts } from "ts-morph";
import { equalityOf, isAssignment } from "./operators.js";
import type { ChoiceCase } from "./choices.js";
import type { RewriteContext } from "./rewrite-context.js";
import { memberTest } from "./rewrite-tests.js";

/** Methods of lists that return some of the elements, and whether the result is a list. */
const selections: ReadonlyMap<string, boolean> = new Map([
  ["filter", true],
  ["find", false],
  ["findLast", false],
]);

/**
 * Rewrites code that reads members of messages which have moved, or which the new version does not
 * have.
 */
export class MemberRewriter {
  readonly #context: RewriteContext;
  readonly #isDone: (node: ts.Node) => boolean;

  /** `isDone` returns whether a value is part of code that was already rewritten. */
  constructor(context: RewriteContext, isDone: (node: ts.Node) => boolean) {
    this.#context = context;
    this.#isDone = isDone;
  }

  visit(node: ts.Node): void {
    const { ts } = this.#context;
    if (ts.isBindingElement(node)) this.#bound(node);
    else if (ts.isVariableDeclaration(node)) this.#destructured(node);
    else if (ts.isPropertyAccessExpression(node)) {
      this.#inlined(node);
      this.#only(node);
      if (!this.#isDone(node.expression) && !this.#constant(node)) this.#common(node);
    }
  }

  /**
   * Rewrites `event.taskId` to `(event.statusUpdate ?? event.artifactUpdate).taskId`, if several
   * types are possible.
   */
  #common({ expression, name, questionDotToken }: ts.PropertyAccessExpression): void {
    const text = questionDotToken === undefined ? this.#messageIn(expression) : undefined;
    if (text === undefined) return;
    const { file, edit } = this.#context;
    const [start, end] = [expression.getStart(file), expression.end];
    edit(
      { start, end, text: `(${text})` },
      `${expression.getText(file)}.${name.text}`,
      `(${text}).${name.text}`,
    );
  }

  /** Rewrites `const { taskId } = event` in the same way. */
  #destructured({ name, initializer }: ts.VariableDeclaration): void {
    const { ts, file, edit } = this.#context;
    if (initializer === undefined || !ts.isObjectBindingPattern(name)) return;
    const text = this.#messageIn(initializer);
    if (text !== undefined)
      edit(
        { start: initializer.getStart(file), end: initializer.end, text },
        initializer.getText(file),
        text,
      );
  }

  /**
   * Rewrites `schemes.includes(name)` to `scheme === name`, and `schemes[0]` to `scheme`, if a list
   * is now one value.
   */
  #only(node: ts.PropertyAccessExpression): void {
    const { ts, symbols, structure, file, edit, textOf } = this.#context;
    const { name, parent, questionDotToken } = node;
    if (!ts.isIdentifier(name)) return;
    const [found] = symbols.membersAt(name).flatMap((path) => structure.converted.get(path) ?? []);
    if (found?.value !== "only") return;
    const dot = questionDotToken === undefined ? "." : "?.";
    const text = textOf(node.expression) + dot + found.now;
    const replace = (outer: ts.Node, now: string): void =>
      edit({ start: outer.getStart(file), end: outer.end, text: now }, outer.getText(file), now);
    const isFirst =
      ts.isElementAccessExpression(parent) && parent.argumentExpression.getText(file) === "0";
    if (isFirst && parent.expression === node && parent.questionDotToken === undefined)
      return replace(parent, text);
    const call =
      ts.isPropertyAccessExpression(parent) && parent.name.text === "includes"
        ? parent.parent
        : undefined;
    if (call === undefined || !ts.isCallExpression(call) || call.expression !== parent) return;
    const [value, ...others] = call.arguments;
    if (value === undefined || others.length > 0) return;
    const test = `${text} === ${textOf(value)}`;
    const { parent: outer } = call;
    const isTrue =
      ts.isBinaryExpression(outer) &&
      outer.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken &&
      outer.right.kind === ts.SyntaxKind.TrueKeyword;
    if (isTrue) return replace(outer, test);
    // Without an object, the optional call was `undefined`, but the test is `false`.
    if (ts.isOptionalChain(call)) return;
    const isOperand =
      ts.isPrefixUnaryExpression(outer) ||
      (ts.isBinaryExpression(outer) && !this.#isLogical(outer));
    replace(call, isOperand ? `(${test})` : test);
  }

  #isLogical({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
    const { AmpersandAmpersandToken, BarBarToken, EqualsToken } = this.#context.ts.SyntaxKind;
    return [AmpersandAmpersandToken, BarBarToken, EqualsToken].some((entry) => entry === kind);
  }

  /**
   * Returns an expression for the message in a union, if the type of the message is not determined.
   */
  #messageIn(value: ts.Expression): string | undefined {
    const cases = this.#casesAt(value);
    if (cases.length < 2 || !cases.every(({ isWrapped }) => isWrapped)) return undefined;
    return cases
      .flatMap(({ members }) => members.map((member) => `${this.#context.textOf(value)}.${member}`))
      .join(" ?? ");
  }

  /** Returns the cases that a reference to a union may have at a position. */
  #casesAt(value: ts.Expression): readonly ChoiceCase[] {
    const { types } = this.#context;
    if (!types.isPlain(value)) return [];
    return types.casesAt(value);
  }

  /**
   * Rewrites `event.kind` to the constant, or to a choice between the constants that are possible.
   */
  #constant(node: ts.PropertyAccessExpression): boolean {
    const { ts, types, file, edit, textOf } = this.#context;
    const { expression, name, questionDotToken, parent } = node;
    if (
      !types.isDiscriminator(name) ||
      questionDotToken !== undefined ||
      !types.isPlain(expression)
    )
      return false;
    if (ts.isBinaryExpression(parent)) {
      const operator = parent.operatorToken.kind;
      const isAssigned = parent.left === node && isAssignment(operator, ts);
      if (isAssigned || equalityOf(operator, ts) !== undefined) return true;
    }
    if (ts.isSwitchStatement(parent)) return true;
    const constants = types.constantsAt(expression);
    const rest = [...constants];
    const last = rest.pop();
    if (last === undefined) return true;
    const value = textOf(expression);
    const tests = rest.map(
      ([constant, one]) => `${memberTest(value, one, true)} ? ${JSON.stringify(constant)} : `,
    );
    const text = tests.join("") + JSON.stringify(last[0]);
    const isWhole =
      ts.isTemplateSpan(parent) || ts.isReturnStatement(parent) || ts.isVariableDeclaration(parent);
    const replacement = rest.length === 0 || isWhole ? text : `(${text})`;
    edit(
      { start: node.getStart(file), end: node.end, text: replacement },
      node.getText(file),
      replacement,
    );
    return true;
  }

  /**
   * Rewrites `events.filter(isStatus)` to
   * `events.filter(isStatus).map(({ statusUpdate }) => statusUpdate)`, because the elements of the
   * result were messages, and `events.find(isStatus)` to `events.find(isStatus)?.statusUpdate`.
   */
  selection(node: ts.CallExpression): void {
    const { ts, types, checker, edit } = this.#context;
    const { expression: callee, parent } = node;
    if (!ts.isPropertyAccessExpression(callee)) return;
    const isList = selections.get(callee.name.text);
    if (isList === undefined) return;
    const choice = types.elementChoiceOf(checker.getTypeAtLocation(callee.expression));
    // The number of elements does not depend on their form.
    const isOnlyCounted = ts.isPropertyAccessExpression(parent) && parent.name.text === "length";
    if (choice === undefined || isOnlyCounted) return;
    const result = checker.getTypeAtLocation(node);
    const [message, ...others] = types.messagesOf(isList ? types.elementOf(result) : result);
    const messageCase = [...choice.cases.values()].find(({ type }) => type === message);
    const isOneMessage = others.length === 0 && messageCase?.isWrapped === true;
    if (!isOneMessage || types.isChoiceExpectedAt(node, isList)) return;
    const [member = ""] = messageCase.members;
    const text = isList ? `.map(({ ${member} }) => ${member})` : `?.${member}`;
    edit(
      { start: node.end, end: node.end, text },
      callee.name.text,
      `${callee.name.text}(…)${text}`,
    );
  }

  /**
   * Removes `if (event.final) break` from a loop over the events of a call, because the stream now
   * ends there.
   */
  loopEnd(node: ts.IfStatement): void {
    const { ts, file, edit } = this.#context;
    const { expression, thenStatement, elseStatement, parent } = node;
    const only =
      ts.isBlock(thenStatement) && thenStatement.statements.length === 1
        ? thenStatement.statements[0]
        : thenStatement;
    if (
      elseStatement !== undefined ||
      only === undefined ||
      !ts.isBreakStatement(only) ||
      only.label !== undefined
    )
      return;
    const loop = ts.isBlock(parent) ? parent.parent : undefined;
    if (loop === undefined || !ts.isForOfStatement(loop) || !this.#isCallOfOutput(loop.expression))
      return;
    if (!this.#isLast(expression)) return;
    const [start, end] = [node.getStart(file), node.end];
    const indent = /\r?\n?[ \t]*$/.exec(file.text.slice(0, start))?.[0].length ?? 0;
    edit({ start: start - indent, end, text: "" }, node.getText(file), "removed");
  }

  #isCallOfOutput(node: ts.Expression): boolean {
    const { ts, symbols } = this.#context;
    return (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      symbols.pathsAt(node.expression.name).length > 0
    );
  }

  /** Returns whether a condition requires the mark of the last event of a stream. */
  #isLast(condition: ts.Expression): boolean {
    const { ts, symbols, structure } = this.#context;
    if (ts.isParenthesizedExpression(condition)) return this.#isLast(condition.expression);
    if (
      ts.isBinaryExpression(condition) &&
      condition.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
    )
      return this.#isLast(condition.left) || this.#isLast(condition.right);
    return (
      ts.isPropertyAccessExpression(condition) &&
      ts.isIdentifier(condition.name) &&
      symbols.membersAt(condition.name).some((path) => path === structure.last)
    );
  }

  /**
   * If the members of `config` now belong to the enclosing object, rewrites `{ config }` to
   * `{ ...config }`.
   */
  #bound(element: ts.BindingElement): void {
    const { name, propertyName, initializer, dotDotDotToken, parent } = element;
    const { ts, symbols, structure, file, edit } = this.#context;
    if (propertyName !== undefined || initializer !== undefined || dotDotDotToken !== undefined)
      return;
    if (!ts.isIdentifier(name) || parent.elements.at(-1) !== element) return;
    const [members] = symbols.membersAt(name).flatMap((path) => structure.inlined.get(path) ?? []);
    if (members === undefined || [...members].some(([old, now]) => old !== now)) return;
    const start = name.getStart(file);
    edit({ start, end: start, text: "..." }, name.text, `...${name.text}`);
  }

  /** If the members of `file` now belong to `part`, rewrites `part.file.uri` to `part.url`. */
  #inlined(node: ts.PropertyAccessExpression): void {
    const { ts, symbols, structure, file, edit } = this.#context;
    if (ts.isPrivateIdentifier(node.name)) return;
    const [path] = symbols.membersAt(node.name).filter((entry) => structure.inlined.has(entry));
    const members = path === undefined ? undefined : structure.inlined.get(path);
    if (members === undefined) return;
    const { parent } = node;
    const dot = node.expression.end;
    if (
      ts.isPropertyAccessExpression(parent) &&
      parent.expression === node &&
      !parent.questionDotToken
    ) {
      const now = members.get(parent.name.text);
      if (now === undefined) return;
      edit(
        { start: dot + (node.questionDotToken ? 2 : 1), end: parent.end, text: now },
        parent.getText(file),
        now,
      );
    } else if (
      ts.isBinaryExpression(parent) &&
      parent.right === node &&
      ts.isStringLiteralLike(parent.left)
    ) {
      const now = members.get(parent.left.text);
      if (now === undefined || parent.operatorToken.kind !== ts.SyntaxKind.InKeyword) return;
      const text = `${this.#context.textOf(node.expression)}.${now} !== undefined`;
      edit({ start: parent.getStart(file), end: parent.end, text }, parent.getText(file), text);
    }
  }
}
