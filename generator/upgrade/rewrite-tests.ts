import type { ts } from "ts-morph";
import { validatorNames } from "../protocol/names/output-names.js";
import { equalityOf } from "./operators.js";
import type { RewriteContext } from "./rewrite-context.js";
import type { Choice, ChoiceCase } from "./choices.js";

/** Value of a union, and the expression that reads its discriminator. */
interface Discriminated {
  readonly access: ts.PropertyAccessExpression;
  readonly choice: Choice;
}

/**
 * Rewrites tests of a union's discriminator to tests for the member that now contains the message.
 */
export class TestRewriter {
  readonly #context: RewriteContext;
  readonly #decides: (node: ts.Node) => void;
  /** Names of guards whose calls were replaced. */
  readonly replaced = new Set<ts.Node>();

  /** Calls `decides` with each value that is only tested, and therefore not rewritten itself. */
  constructor(context: RewriteContext, decides: (node: ts.Node) => void) {
    this.#context = context;
    this.#decides = decides;
  }

  /** Rewrites `event.kind === "task"` to `event.task !== undefined`. */
  comparison(node: ts.BinaryExpression): void {
    const { ts, file, edit } = this.#context;
    const isEqual = equalityOf(node.operatorToken.kind, ts);
    if (isEqual === undefined) return;
    const [tested, constant] = ts.isStringLiteralLike(node.right)
      ? [node.left, node.right]
      : [node.right, node.left];
    const found = this.#discriminated(tested);
    const one =
      found && ts.isStringLiteralLike(constant) ? found.choice.cases.get(constant.text) : undefined;
    if (found === undefined || one === undefined) return;
    const text = this.#testOf(found.access, one, isEqual);
    if (text === undefined) return;
    this.#decides(found.access.expression);
    const isGroup = one.members.length > 1 && !ts.isIfStatement(node.parent);
    const replacement = isGroup ? `(${text})` : text;
    edit(
      { start: node.getStart(file), end: node.end, text: replacement },
      node.getText(file),
      text,
    );
  }

  /** Rewrites `switch (event.kind)` to `switch (true)`, with tests as its cases. */
  switchOn(node: ts.SwitchStatement): void {
    const { ts, file, edit } = this.#context;
    const found = this.#discriminated(node.expression);
    if (found === undefined) return;
    const { clauses } = node.caseBlock;
    const tests = clauses.map((clause) => {
      if (ts.isDefaultClause(clause)) return "";
      const { expression } = clause;
      const one = ts.isStringLiteralLike(expression)
        ? found.choice.cases.get(expression.text)
        : undefined;
      return one && this.#testOf(found.access, one, true);
    });
    if (tests.some((test) => test === undefined)) return;
    this.#decides(found.access.expression);
    const access = node.expression;
    edit(
      { start: access.getStart(file), end: access.end, text: "true" },
      access.getText(file),
      "true",
    );
    // The compiler cannot determine that the tests are exhaustive, so make the last case the
    // `default` case.
    const isExhaustive =
      !clauses.some(ts.isDefaultClause) && clauses.length === found.choice.cases.size;
    for (const [index, clause] of clauses.entries()) {
      if (ts.isDefaultClause(clause)) continue;
      const { expression } = clause;
      if (isExhaustive && index === clauses.length - 1) {
        const start = clause.getStart(file);
        edit({ start, end: expression.end, text: "default" }, expression.getText(file), "default");
      } else {
        const text = tests[index] ?? "";
        edit(
          { start: expression.getStart(file), end: expression.end, text },
          expression.getText(file),
          text,
        );
      }
    }
  }

  /**
   * Rewrites `isTask(result)` to `result.task !== undefined`. For a value of type `any` or
   * `unknown`, adds a notice instead.
   */
  guard(node: ts.CallExpression): void {
    const { ts, checker, types, symbols, file, edit } = this.#context;
    const [value, ...others] = node.arguments;
    const [name] = symbols.pathsAt(node.expression);
    if (value === undefined || others.length > 0 || name === undefined) return;
    const { Any, Unknown } = ts.TypeFlags;
    if ((checker.getTypeAtLocation(value).flags & (Any | Unknown)) !== 0)
      return this.#untyped(node, name);
    const signature = checker.getResolvedSignature(node);
    const predicate = signature && checker.getTypePredicateOfSignature(signature);
    const [message] = types.messagesOf(predicate?.type);
    const choice = types.choiceAt(value);
    const found = [...(choice?.cases.values() ?? [])].find(({ type }) => type === message);
    if (found === undefined || !types.isPlain(value)) return;
    this.#decides(value);
    const { parent } = node;
    const isNegated =
      ts.isPrefixUnaryExpression(parent) && parent.operator === ts.SyntaxKind.ExclamationToken;
    const outer = isNegated ? parent : node;
    const test = memberTest(this.#context.textOf(value), found, !isNegated);
    const text = found.members.length > 1 && !ts.isIfStatement(outer.parent) ? `(${test})` : test;
    edit({ start: outer.getStart(file), end: outer.end, text }, outer.getText(file), text);
    this.replaced.add(node.expression);
  }

  /** Rewrites `parts.filter(isTextPart)` to `parts.filter((part) => part.text !== undefined)`. */
  guardsGiven(node: ts.CallExpression): void {
    const { ts, checker, types, symbols, file, edit } = this.#context;
    for (const guard of node.arguments) {
      if (!ts.isIdentifier(guard) || symbols.pathsAt(guard).length === 0) continue;
      const [predicate] = checker.getTypeAtLocation(guard).getCallSignatures();
      const [message] = types.messagesOf(
        predicate && checker.getTypePredicateOfSignature(predicate)?.type,
      );
      const [expected] = checker.getContextualType(guard)?.getCallSignatures() ?? [];
      const [parameter] = expected?.getParameters() ?? [];
      const choice =
        parameter && types.choiceOf(checker.getTypeOfSymbolAtLocation(parameter, guard));
      const found = [...(choice?.cases.values() ?? [])].find(({ type }) => type === message);
      if (choice === undefined || found === undefined) continue;
      const name = choice.now.charAt(0).toLowerCase() + choice.now.slice(1);
      const text = `(${name}) => ${memberTest(name, found, true)}`;
      edit({ start: guard.getStart(file), end: guard.end, text }, guard.text, text);
      this.replaced.add(guard);
    }
  }

  /**
   * Reports `isTask(body)` for an untyped value, because the value may have been a plain task or an
   * alternative of a union.
   */
  #untyped(node: ts.CallExpression, name: string): void {
    const { structure, notice } = this.#context;
    const holders = structure.choices.flatMap(({ now, cases }) =>
      [...cases.values()].flatMap(({ type, isWrapped, members }) =>
        isWrapped && validatorNames.some(([first, last]) => name === first + type + last)
          ? [`the member "${members.join()}" of ${now}`]
          : [],
      ),
    );
    if (holders.length > 0)
      notice(
        node,
        `${name}(…) of a value of any type: it may now be in ${holders.join(", or in ")}`,
      );
  }

  /** Returns the value whose discriminator an expression reads: `event` for `event.kind`. */
  #discriminated(node: ts.Expression): Discriminated | undefined {
    const { ts, types } = this.#context;
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const choice = types.choiceAt(node.expression);
    return choice?.discriminator === node.name.text ? { access: node, choice } : undefined;
  }

  #testOf(
    access: ts.PropertyAccessExpression,
    one: ChoiceCase,
    isEqual: boolean,
  ): string | undefined {
    // If a test is repeated, its value must not be evaluated several times.
    if (one.members.length > 1 && !this.#context.types.isPlain(access.expression)) return undefined;
    const optional = access.questionDotToken === undefined ? "" : "?";
    return memberTest(this.#context.textOf(access.expression) + optional, one, isEqual);
  }
}

/** Returns the test of whether a value, given as text, is a case of its union. */
export function memberTest(value: string, { members }: ChoiceCase, isEqual: boolean): string {
  const tests = members.map((member) => `${value}.${member} ${isEqual ? "!==" : "==="} undefined`);
  return tests.join(isEqual ? " || " : " && ");
}
