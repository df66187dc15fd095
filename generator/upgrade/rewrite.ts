import type { ts } from "ts-morph";
import { changedImports } from "./changed-imports.js";
import { applyEdits } from "./edits.js";
import { CardRewriter } from "./rewrite-cards.js";
import { FlagRewriter } from "./rewrite-flags.js";
import { LiteralRewriter } from "./rewrite-literals.js";
import { MemberRewriter } from "./rewrite-members.js";
import type { NameMap } from "./names.js";
import { isAssignment } from "./operators.js";
import { OutputTypes } from "./output-types.js";
import type { Checked } from "./project.js";
import type { Choice, ChoiceCase } from "./choices.js";
import type { Symbols } from "./symbols.js";
import { TestRewriter } from "./rewrite-tests.js";
import type { RewriteContext } from "./rewrite-context.js";
import { TypeRewriter } from "./rewrite-types.js";
import type { Edit, Notice, Renaming } from "./types.js";
import { firstLine } from "./parts.js";

/** Edits of a file, and notices about code that the user must review. */
export interface Rewritten {
  readonly edits: readonly Renaming[];
  readonly notices: readonly Notice[];
}

/**
 * Rewrites code for structural changes if the types determine the new code: tests and switches on
 * the discriminator of a union, narrowed values, and object literals. Returns all edits of the
 * file, including `renamings`.
 */
export function rewrite(
  file: ts.SourceFile,
  project: Checked,
  names: NameMap,
  symbols: Symbols,
  renamings: readonly Renaming[],
): Rewritten {
  const { ts, checker } = project;
  const found: Renaming[] = [];
  const notices: Notice[] = [];
  const notice = (node: ts.Node, message: string): void =>
    void notices.push({ start: node.getStart(file), message });
  const textOf = (node: ts.Node): string => {
    const start = node.getStart(file);
    const inside = renamings.filter((edit) => edit.start >= start && edit.end <= node.end);
    return applyEdits(
      node.getText(file),
      inside.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    );
  };
  const edit: RewriteContext["edit"] = (change, from = "", to = from) =>
    void found.push({ ...change, from, to });
  const { structure } = names;
  const types = new OutputTypes(project, symbols, structure.choices);
  const rewriter = new Rewriter({
    file,
    ts,
    checker,
    symbols,
    types,
    names,
    structure,
    textOf,
    edit,
    notice,
  });
  rewriter.visit(file);
  found.push(...changedImports(file, ts, rewriter, (specifier) => symbols.isModule(specifier)));
  return { edits: withoutOverlaps(renamings, found), notices };
}

/**
 * Returns the rewrites, and the renames outside of rewrites. Drops an edit that is inside a larger
 * edit.
 */
function withoutOverlaps(renamings: readonly Renaming[], found: readonly Renaming[]): Renaming[] {
  const isInside = (inner: Edit, outer: Edit): boolean =>
    outer.end > outer.start && inner.start < outer.end && inner.end > outer.start;
  const larger = found.filter((edit) =>
    found.every(
      (other) =>
        other === edit || !isInside(edit, other) || other.end - other.start < edit.end - edit.start,
    ),
  );
  const kept = renamings.filter((edit) => !larger.some((other) => isInside(edit, other)));
  return [...kept, ...larger].sort((a, b) => a.start - b.start || a.end - b.end);
}

class Rewriter {
  readonly #context: RewriteContext;
  readonly #tests: TestRewriter;
  readonly #cards: CardRewriter;
  readonly #flags: FlagRewriter;
  readonly #members: MemberRewriter;
  readonly #types: TypeRewriter;
  readonly #literals: LiteralRewriter;
  /** Expressions that are already wrapped, or that are only used to select a case. */
  readonly #done = new Set<ts.Node>();

  constructor(context: RewriteContext) {
    this.#context = context;
    this.#tests = new TestRewriter(context, (node) => void this.#done.add(node));
    this.#cards = new CardRewriter(context);
    this.#flags = new FlagRewriter(context);
    this.#members = new MemberRewriter(context, (node) => this.#done.has(node));
    this.#types = new TypeRewriter(context);
    this.#literals = new LiteralRewriter(context, this.#cards, this.#flags);
  }

  /** Names of guards and types that were replaced. */
  get replaced(): ReadonlySet<ts.Node> {
    return new Set([...this.#tests.replaced, ...this.#types.replaced]);
  }

  /** Names to import, by the import that they join. */
  get added(): ReadonlyMap<ts.ImportDeclaration, ReadonlySet<string>> {
    return this.#types.added;
  }

  visit(node: ts.Node): void {
    const { ts } = this.#context;
    if (ts.isImportDeclaration(node)) return;
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node))
      return this.#types.visit(node);
    this.#flags.visit(node);
    if (ts.isBinaryExpression(node)) this.#tests.comparison(node);
    else if (ts.isSwitchStatement(node)) this.#tests.switchOn(node);
    else if (ts.isCallExpression(node)) {
      this.#tests.guard(node);
      this.#tests.guardsGiven(node);
      this.#members.selection(node);
    } else if (ts.isIfStatement(node)) this.#members.loopEnd(node);
    if (ts.isObjectLiteralExpression(node)) this.#literals.visit(node);
    if (this.#isValue(node)) this.#value(node);
    if (ts.isPropertyAccessExpression(node)) this.#cards.read(node);
    this.#members.visit(node);
    node.forEachChild((child) => this.visit(child));
  }

  /**
   * Returns whether a node is an expression whose value is used, and not only a name in a
   * declaration.
   */
  #isValue(node: ts.Node): node is ts.Expression {
    const { ts } = this.#context;
    if (!ts.isExpression(node) || this.#done.has(node)) return false;
    const { parent } = node;
    if (ts.isParenthesizedExpression(node) || ts.isConditionalExpression(node)) return false;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
    if (ts.isShorthandPropertyAssignment(parent)) return parent.name === node;
    if (ts.isBinaryExpression(parent) && parent.left === node)
      return !isAssignment(parent.operatorToken.kind, ts);
    if (ts.isBindingElement(parent)) return parent.initializer === node;
    if ("name" in parent && parent.name === node) return false;
    return (
      !ts.isExportSpecifier(parent) &&
      !ts.isExportAssignment(parent) &&
      !ts.isLabeledStatement(parent)
    );
  }

  /** Wraps a message if it is narrowed from a union, or if its position requires a union. */
  #value(node: ts.Expression): void {
    const { ts, types } = this.#context;
    const { parent } = node;
    const isSpread = ts.isSpreadAssignment(parent) || ts.isSpreadElement(parent);
    const narrowed = types.narrowedAt(node);
    const expected = isSpread || this.#isOperand(node) ? undefined : types.expectedChoiceAt(node);
    if (narrowed !== undefined && expected !== undefined && types.isAmong(narrowed.case, expected))
      return;
    const member = narrowed?.case.isWrapped === true ? narrowed.case.members[0] : undefined;
    const isMember =
      ts.isPropertyAccessExpression(parent) && parent.name.text === narrowed?.choice.discriminator;
    if (expected !== undefined) return this.#wrap(node, expected, member);
    if (member === undefined || isMember) return;
    const { end } = node;
    const text = ts.isShorthandPropertyAssignment(parent)
      ? `: ${node.getText()}.${member}`
      : `.${member}`;
    this.#context.edit({ start: end, end, text }, node.getText(), `${node.getText()}.${member}`);
  }

  /**
   * Returns whether a value is an operand of an operator that selects one of several values, and
   * none of these values is a union.
   */
  #isOperand({ parent }: ts.Expression): boolean {
    const { ts, types } = this.#context;
    if (!ts.isBinaryExpression(parent)) return false;
    const { QuestionQuestionToken, BarBarToken } = ts.SyntaxKind;
    const isChoosing = [QuestionQuestionToken, BarBarToken].some(
      (kind) => kind === parent.operatorToken.kind,
    );
    return isChoosing && (this.#done.has(parent) || types.choiceAt(parent.left) === undefined);
  }

  /**
   * Wraps a message in the object that its position requires. `member` is the member of the object
   * that now contains the message.
   */
  #wrap(node: ts.Expression, choice: Choice, member: string | undefined): void {
    const { ts, types, file, edit } = this.#context;
    const own = types.caseOf(choice, node);
    const found = own ?? this.#promised(node, choice);
    if (found?.isWrapped !== true) return;
    this.#done.add(node);
    const [key = ""] = found.members;
    const text = node.getText(file);
    const { parent } = node;
    const [start, end] = [node.getStart(file), node.end];
    const isBody = ts.isArrowFunction(parent) && parent.body === node;
    const isKey = ts.isShorthandPropertyAssignment(parent);
    const wait = own === undefined ? "await " : "";
    const open = `${isKey ? `${text}: ` : ""}${isBody ? "(" : ""}{ `;
    const close = isBody ? " })" : " }";
    if (text === key && member === undefined && wait === "") {
      edit({ start, end: start, text: open }, text, `{ ${key} }`);
    } else
      edit(
        { start, end: start, text: `${open}${key}: ${wait}` },
        firstLine(text),
        `{ ${key}: ${wait}… }`,
      );
    edit({ start: end, end, text: `${member === undefined ? "" : `.${member}`}${close}` });
  }

  /** Returns the case of a promise that an asynchronous function returns. */
  #promised(node: ts.Expression, choice: Choice): ChoiceCase | undefined {
    const { ts, types } = this.#context;
    const { parent } = node;
    if (!ts.isReturnStatement(parent) && !(ts.isArrowFunction(parent) && parent.body === node))
      return undefined;
    let outer: ts.Node = parent;
    while (!ts.isFunctionLike(outer) && !ts.isSourceFile(outer)) outer = outer.parent;
    const isAsync =
      ts.canHaveModifiers(outer) &&
      ts.getModifiers(outer)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
    return isAsync ? types.promisedCaseOf(choice, node) : undefined;
  }
}
