import type { ts } from "ts-morph";
import { applyEdits } from "./edits.js";
import { CardRewriter } from "./rewrite-cards.js";
import { FlagRewriter } from "./rewrite-flags.js";
import { LiteralRewriter } from "./rewrite-literals.js";
import type { NameMap } from "./names.js";
import { OutputTypes } from "./output-types.js";
import type { Checked } from "./project.js";
import type { Choice } from "./restructuring.js";
import type { Symbols } from "./symbols.js";
import { TestRewriter } from "./rewrite-tests.js";
import type { RewriteContext } from "./rewrite-context.js";
import { unusedImports } from "./unused-imports.js";
import type { Edit, Notice, Renaming } from "./types.js";

/** Edits of a file, and notices about code that the user must review. */
export interface Rewritten {
  readonly edits: readonly Renaming[];
  readonly notices: readonly Notice[];
}

/**
 * Rewrites code for structural changes if the types determine the new code: tests and switches on the discriminator of
 * a union, narrowed values, and object literals. Returns all edits of the file, including `renamings`.
 */
export function rewrite(
  file: ts.SourceFile,
  { ts, checker }: Checked,
  names: NameMap,
  symbols: Symbols,
  renamings: readonly Renaming[],
): Rewritten {
  const found: Renaming[] = [];
  const notices: Notice[] = [];
  const notice = (node: ts.Node, message: string): void => void notices.push({ start: node.getStart(file), message });
  const textOf = (node: ts.Node): string => {
    const start = node.getStart(file);
    const inside = renamings.filter((edit) => edit.start >= start && edit.end <= node.end);
    return applyEdits(
      node.getText(file),
      inside.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    );
  };
  const edit: RewriteContext["edit"] = (change, from = "", to = from) => void found.push({ ...change, from, to });
  const { structure } = names;
  const types = new OutputTypes({ ts, checker }, symbols, structure.choices);
  const rewriter = new Rewriter({ file, ts, checker, symbols, types, names, structure, textOf, edit, notice });
  rewriter.visit(file);
  found.push(...unusedImports(file, ts, rewriter.replaced, (specifier) => symbols.isModule(specifier)));
  return { edits: withoutOverlaps(renamings, found), notices };
}

/** Returns the rewrites, and the renames outside of rewrites. Drops an edit that is inside a larger edit. */
function withoutOverlaps(renamings: readonly Renaming[], found: readonly Renaming[]): Renaming[] {
  const isInside = (inner: Edit, outer: Edit): boolean =>
    outer.end > outer.start && inner.start < outer.end && inner.end > outer.start;
  const larger = found.filter((edit) =>
    found.every((other) => other === edit || !isInside(edit, other) || other.end - other.start < edit.end - edit.start),
  );
  const kept = renamings.filter((edit) => !larger.some((other) => isInside(edit, other)));
  return [...kept, ...larger].sort((a, b) => a.start - b.start || a.end - b.end);
}

class Rewriter {
  readonly #context: RewriteContext;
  readonly #tests: TestRewriter;
  readonly #cards: CardRewriter;
  readonly #flags: FlagRewriter;
  readonly #literals: LiteralRewriter;
  /** Expressions that are already wrapped, or that are only used to select a case. */
  readonly #done = new Set<ts.Node>();

  constructor(context: RewriteContext) {
    this.#context = context;
    this.#tests = new TestRewriter(context, (node) => void this.#done.add(node));
    this.#cards = new CardRewriter(context);
    this.#flags = new FlagRewriter(context);
    this.#literals = new LiteralRewriter(context, this.#cards, this.#flags);
  }

  /** Names of guards whose calls were replaced. */
  get replaced(): ReadonlySet<ts.Node> {
    return this.#tests.replaced;
  }

  visit(node: ts.Node): void {
    const { ts } = this.#context;
    if (ts.isImportDeclaration(node) || (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node))) return;
    this.#flags.visit(node);
    if (ts.isBinaryExpression(node)) this.#tests.comparison(node);
    else if (ts.isSwitchStatement(node)) this.#tests.switchOn(node);
    else if (ts.isCallExpression(node)) {
      this.#tests.guard(node);
      this.#tests.guardsGiven(node);
    }
    if (ts.isObjectLiteralExpression(node)) this.#literals.visit(node);
    if (this.#isValue(node)) this.#value(node);
    if (ts.isPropertyAccessExpression(node)) {
      this.#inlined(node);
      this.#cards.read(node);
    }
    if (ts.isBindingElement(node)) this.#bound(node);
    node.forEachChild((child) => this.visit(child));
  }

  /** Returns whether a node is an expression whose value is used, and not only a name in a declaration. */
  #isValue(node: ts.Node): node is ts.Expression {
    const { ts } = this.#context;
    if (!ts.isExpression(node) || this.#done.has(node)) return false;
    const { parent } = node;
    if (ts.isParenthesizedExpression(node) || ts.isConditionalExpression(node)) return false;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
    if (ts.isShorthandPropertyAssignment(parent)) return parent.name === node;
    if (ts.isBinaryExpression(parent) && parent.left === node)
      return (
        parent.operatorToken.kind < ts.SyntaxKind.FirstAssignment ||
        parent.operatorToken.kind > ts.SyntaxKind.LastAssignment
      );
    if (ts.isBindingElement(parent)) return parent.initializer === node;
    if ("name" in parent && parent.name === node) return false;
    return !ts.isExportSpecifier(parent) && !ts.isExportAssignment(parent) && !ts.isLabeledStatement(parent);
  }

  /** Wraps a message if it is narrowed from a union, or if its position requires a union. */
  #value(node: ts.Expression): void {
    const { ts, types } = this.#context;
    const { parent } = node;
    const isSpread = ts.isSpreadAssignment(parent) || ts.isSpreadElement(parent);
    const narrowed = types.narrowedAt(node);
    const expected = isSpread || this.#isOperand(node) ? undefined : types.expectedChoiceAt(node);
    if (narrowed !== undefined && narrowed.choice === expected) return;
    const member = narrowed?.case.isWrapped === true ? narrowed.case.members[0] : undefined;
    const isMember = ts.isPropertyAccessExpression(parent) && parent.name.text === narrowed?.choice.discriminator;
    if (expected !== undefined) return this.#wrap(node, expected, member);
    if (member === undefined || isMember) return;
    const { end } = node;
    const text = ts.isShorthandPropertyAssignment(parent) ? `: ${node.getText()}.${member}` : `.${member}`;
    this.#context.edit({ start: end, end, text }, node.getText(), `${node.getText()}.${member}`);
  }

  /**
   * Returns whether a value is an operand of an operator that selects one of several values, and none of these values
   * is a union.
   */
  #isOperand({ parent }: ts.Expression): boolean {
    const { ts, types } = this.#context;
    if (!ts.isBinaryExpression(parent)) return false;
    const { QuestionQuestionToken, BarBarToken } = ts.SyntaxKind;
    const isChoosing = [QuestionQuestionToken, BarBarToken].some((kind) => kind === parent.operatorToken.kind);
    return isChoosing && (this.#done.has(parent) || types.choiceAt(parent.left) === undefined);
  }

  /**
   * Wraps a message in the object that its position requires. `member` is the member of the object that now contains
   * the message.
   */
  #wrap(node: ts.Expression, choice: Choice, member: string | undefined): void {
    const { ts, types, file, edit } = this.#context;
    const found = types.caseOf(choice, node);
    if (found?.isWrapped !== true) return;
    this.#done.add(node);
    const [key = ""] = found.members;
    const text = node.getText(file);
    const { parent } = node;
    const [start, end] = [node.getStart(file), node.end];
    const isBody = ts.isArrowFunction(parent) && parent.body === node;
    const isKey = ts.isShorthandPropertyAssignment(parent);
    const open = `${isKey ? `${text}: ` : ""}${isBody ? "(" : ""}{ `;
    const close = isBody ? " })" : " }";
    if (text === key && member === undefined) {
      edit({ start, end: start, text: open }, text, `{ ${key} }`);
    } else edit({ start, end: start, text: `${open}${key}: ` }, firstLine(text), `{ ${key}: … }`);
    edit({ start: end, end, text: `${member === undefined ? "" : `.${member}`}${close}` });
  }

  /** If the members of `config` now belong to the enclosing object, rewrites `{ config }` to `{ ...config }`. */
  #bound(element: ts.BindingElement): void {
    const { name, propertyName, initializer, dotDotDotToken, parent } = element;
    const { ts, symbols, structure, file, edit } = this.#context;
    if (propertyName !== undefined || initializer !== undefined || dotDotDotToken !== undefined) return;
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
    const [path] = symbols.membersAt(node.name).filter((one) => structure.inlined.has(one));
    const members = path === undefined ? undefined : structure.inlined.get(path);
    if (members === undefined) return;
    const { parent } = node;
    const dot = node.expression.end;
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node && !parent.questionDotToken) {
      const now = members.get(parent.name.text);
      if (now === undefined) return;
      edit({ start: dot + (node.questionDotToken ? 2 : 1), end: parent.end, text: now }, parent.getText(file), now);
    } else if (ts.isBinaryExpression(parent) && parent.right === node && ts.isStringLiteralLike(parent.left)) {
      const now = members.get(parent.left.text);
      if (now === undefined || parent.operatorToken.kind !== ts.SyntaxKind.InKeyword) return;
      const text = `${this.#context.textOf(node.expression)}.${now} !== undefined`;
      edit({ start: parent.getStart(file), end: parent.end, text }, parent.getText(file), text);
    }
  }
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line === text ? text : `${line} …`;
}
