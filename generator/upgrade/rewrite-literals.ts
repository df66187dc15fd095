import type { ts } from "ts-morph";
import { addedProperty, nameOf, removedProperties, valueOf } from "./literal-edits.js";
import { isAssignment } from "./operators.js";
import type { CardRewriter } from "./rewrite-cards.js";
import type { FlagRewriter } from "./rewrite-flags.js";
import type { FormChange } from "./restructuring.js";
import type { OwnProperty, RewriteContext } from "./rewrite-context.js";
import { firstLine } from "./parts.js";

/** Rewrites object literals whose types have a new structure. */
export class LiteralRewriter {
  readonly #context: RewriteContext;
  readonly #cards: CardRewriter;
  readonly #flags: FlagRewriter;
  /** Discriminators of the former unions: `Message.kind`. */
  readonly #constants: ReadonlySet<string>;

  constructor(context: RewriteContext, cards: CardRewriter, flags: FlagRewriter) {
    this.#context = context;
    this.#cards = cards;
    this.#flags = flags;
    this.#constants = new Set(
      context.structure.choices.flatMap(({ cases, discriminator }) =>
        [...cases.values()].map(({ type }) => `${type}.${discriminator}`),
      ),
    );
  }

  /** Rewrites the properties of one object literal. Nested objects are visited separately. */
  visit(literal: ts.ObjectLiteralExpression): void {
    const { ts, symbols, file, edit } = this.#context;
    const properties = literal.properties.flatMap((node): OwnProperty[] => {
      const name = nameOf(node, ts);
      const named =
        node.name !== undefined &&
        (ts.isIdentifier(node.name) || ts.isStringLiteralLike(node.name));
      if (name === undefined || !named) return [];
      return [{ node, name, value: valueOf(node, ts), paths: symbols.membersAt(node.name) }];
    });
    const removed = new Set(this.#cards.rewrite(literal, properties));
    for (const property of properties) {
      if (removed.has(property.node)) continue;
      if (
        this.#isConstant(property) ||
        this.#isRemoved(property) ||
        this.#moved(property, properties)
      )
        removed.add(property.node);
      else {
        if (this.#inlined(property, literal)) removed.add(property.node);
        this.#converted(property);
        this.#version(property);
        this.#reshaped(property);
      }
    }
    const names = properties
      .filter(({ node }) => removed.has(node))
      .map(({ node }) => firstLine(node.getText(file)));
    for (const [index, change] of removedProperties(literal, removed, file).entries())
      edit(change, names[index], "removed");
    this.#cards.complete(literal, removed);
  }

  /**
   * Returns whether a property is a discriminator such as `kind: "message"`, which has no
   * replacement.
   */
  #isConstant({ paths, value }: OwnProperty): boolean {
    const { ts } = this.#context;
    const isPlain =
      value !== undefined && (ts.isStringLiteralLike(value) || ts.isAsExpression(value));
    return isPlain && paths.length > 0 && paths.every((path) => this.#constants.has(path));
  }

  /**
   * Returns whether a property can be removed, because the type no longer has it and its value has
   * no side effects. Adds a notice about the consequence.
   */
  #isRemoved({ name, value, paths, node }: OwnProperty): boolean {
    const { structure, notice } = this.#context;
    const isPlain = value !== undefined && this.#isPure(value);
    const reasons = paths.map((path) => structure.removed.get(path));
    const [reason] = reasons;
    if (!isPlain || reason === undefined || reasons.includes(undefined)) return false;
    notice(node, `"${name}" is removed: ${reason}`);
    return true;
  }

  /** Returns whether an expression only compares and combines values. */
  #isPure(node: ts.Expression): boolean {
    const { ts } = this.#context;
    const { TrueKeyword, FalseKeyword, NullKeyword, ThisKeyword } = ts.SyntaxKind;
    if (ts.isBinaryExpression(node))
      return (
        !isAssignment(node.operatorToken.kind, ts) &&
        this.#isPure(node.left) &&
        this.#isPure(node.right)
      );
    if (ts.isParenthesizedExpression(node) || ts.isPropertyAccessExpression(node))
      return this.#isPure(node.expression);
    if (ts.isPrefixUnaryExpression(node))
      return node.operator === ts.SyntaxKind.ExclamationToken && this.#isPure(node.operand);
    const isConstant = [TrueKeyword, FalseKeyword, NullKeyword, ThisKeyword].some(
      (kind) => kind === node.kind,
    );
    return isConstant || ts.isLiteralExpression(node) || ts.isIdentifier(node);
  }

  /**
   * Rewrites the literal of a list or map whose elements have a new form: wraps the elements in
   * objects.
   */
  #reshaped({ value, paths }: OwnProperty): void {
    const [reshaping] = paths.flatMap((path) => this.#context.structure.reshaped.get(path) ?? []);
    if (reshaping !== undefined && value !== undefined && this.#canReshape(value, reshaping))
      this.#reshape(value, reshaping);
  }

  #canReshape(value: ts.Expression, { kind, of }: FormChange): boolean {
    if (kind === "member") return of === undefined || this.#canReshape(value, of);
    return this.#elementsOf(value)?.every((element) => this.#canReshape(element, of)) === true;
  }

  #reshape(value: ts.Expression, reshaping: FormChange): void {
    const { file, edit } = this.#context;
    const [start, end] = [value.getStart(file), value.end];
    if (reshaping.kind === "each")
      for (const element of this.#elementsOf(value) ?? []) this.#reshape(element, reshaping.of);
    else {
      edit(
        { start, end: start, text: `{ ${reshaping.name}: ` },
        value.getText(file),
        `{ ${reshaping.name}: … }`,
      );
      if (reshaping.of !== undefined) this.#reshape(value, reshaping.of);
      edit({ start: end, end, text: " }" });
    }
  }

  /**
   * Returns the elements of an array literal or the values of an object literal; `undefined` for
   * other expressions.
   */
  #elementsOf(value: ts.Expression): readonly ts.Expression[] | undefined {
    const { ts } = this.#context;
    if (ts.isArrayLiteralExpression(value))
      return value.elements.some(ts.isSpreadElement) ? undefined : value.elements;
    if (!ts.isObjectLiteralExpression(value)) return undefined;
    const values = value.properties.map((property) =>
      ts.isPropertyAssignment(property) ? property.initializer : undefined,
    );
    return values.every((candidate) => candidate !== undefined) ? values : undefined;
  }

  /**
   * Moves a property into the object that now contains the property, if the literal has this
   * object. Returns whether the property was moved.
   */
  #moved({ name, value, paths }: OwnProperty, properties: readonly OwnProperty[]): boolean {
    const { ts, structure, file, edit, textOf } = this.#context;
    const [target] =
      paths.flatMap((path) => structure.moved.get(path) ?? []).length === 0 ? [] : paths;
    const moved = target === undefined ? undefined : structure.moved.get(target);
    const holder = properties.find((other) => other.name === moved?.[0]);
    if (moved === undefined || value === undefined || holder?.value === undefined) return false;
    const added = textOf(value) === moved[1] ? moved[1] : `${moved[1]}: ${textOf(value)}`;
    if (ts.isObjectLiteralExpression(holder.value)) {
      edit(addedProperty(holder.value, added, file, new Set()), name, moved.join("."));
    } else {
      const text = `${holder.name}: { ...${textOf(holder.value)}, ${added} }`;
      edit(
        { start: holder.node.getStart(file), end: holder.node.end, text },
        name,
        moved.join("."),
      );
    }
    return true;
  }

  /**
   * Rewrites `file: { uri }`, whose members now belong to the enclosing object. Returns whether the
   * property moved to the start of the object.
   */
  #inlined(
    { node, name, value, paths }: OwnProperty,
    literal: ts.ObjectLiteralExpression,
  ): boolean {
    const { ts, structure, file, edit } = this.#context;
    const [members] = paths.flatMap((path) => structure.inlined.get(path) ?? []);
    if (members === undefined || value === undefined) return false;
    const keepsNames = [...members].every(([old, now]) => old === now);
    if (!ts.isObjectLiteralExpression(value)) {
      if (!keepsNames) return false;
      const text = `...${this.#context.textOf(value)}`;
      // Spread the object first, so that its members do not override the other properties.
      const [head] = literal.properties;
      if (head === undefined || head === node) {
        edit({ start: node.getStart(file), end: node.end, text }, node.getText(file), text);
        return false;
      }
      const start = head.getStart(file);
      edit({ start, end: start, text: `${text}, ` }, node.getText(file), text);
      return true;
    }
    const [first, last] = [value.properties[0], value.properties.at(-1)];
    const isKnown = value.properties.every((property) => {
      const inner = nameOf(property, ts);
      return inner === undefined
        ? keepsNames && ts.isSpreadAssignment(property)
        : members.has(inner);
    });
    if (first === undefined || last === undefined || !isKnown) return false;
    edit(
      { start: node.getStart(file), end: first.getStart(file), text: "" },
      `${name}: { … }`,
      "its members",
    );
    edit({ start: last.end, end: value.end, text: "" });
    for (const property of value.properties) {
      const old = nameOf(property, ts);
      const now = old === undefined ? undefined : members.get(old);
      if (old === undefined || now === undefined || now === old || property.name === undefined)
        continue;
      const start = property.name.getStart(file);
      const text = ts.isShorthandPropertyAssignment(property) ? `${now}: ${old}` : now;
      edit({ start, end: property.name.end, text }, old, now);
    }
    return false;
  }

  /**
   * Rewrites `blocking: true` to `returnImmediately: false`, or replaces a list of one element with
   * this element.
   */
  #converted({ node, value, paths }: OwnProperty): void {
    const { ts, structure, file, edit, textOf } = this.#context;
    const [converted] = paths.flatMap((path) => structure.converted.get(path) ?? []);
    if (converted === undefined || value === undefined) return;
    const [only, ...others] = ts.isArrayLiteralExpression(value) ? value.elements : [];
    const isOnly = only !== undefined && others.length === 0 && !ts.isSpreadElement(only);
    const now =
      converted.value === "opposite"
        ? this.#flags.opposite(value)
        : isOnly
          ? textOf(only)
          : undefined;
    if (now === undefined) return;
    const text = `${converted.now}: ${now}`;
    edit({ start: node.getStart(file), end: node.end, text }, node.getText(file), text);
  }

  /** Rewrites the protocol version in a card. */
  #version({ value, paths }: OwnProperty): void {
    const { ts, structure, file, edit } = this.#context;
    const { versions } = structure;
    if (versions === undefined || value === undefined || !ts.isStringLiteralLike(value)) return;
    if (value.text !== versions.from || versions.from === versions.to) return;
    if (!paths.some((path) => versions.before.has(path) && versions.after.has(path))) return;
    const quote = value.getText(file).charAt(0);
    const text = quote + versions.to + quote;
    edit({ start: value.getStart(file), end: value.end, text }, versions.from, versions.to);
  }
}
