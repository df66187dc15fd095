import type { ts } from "ts-morph";
import { addedProperty, nameOf, valueOf } from "./literal-edits.js";
import type { OwnProperty, RewriteContext } from "./rewrite-context.js";
import type { MovedInterfaces } from "./card-members.js";

/**
 * Rewrites agent cards, because the main interface has moved into the list of interfaces, and each
 * interface now has its own version.
 */
export class CardRewriter {
  readonly #context: RewriteContext;

  constructor(context: RewriteContext) {
    this.#context = context;
  }

  /** Moves the main interface of a card literal into the list. Returns the properties to remove. */
  rewrite(
    literal: ts.ObjectLiteralExpression,
    properties: readonly OwnProperty[],
  ): ts.ObjectLiteralElementLike[] {
    const { types, structure, file, edit } = this.#context;
    const { interfaces } = structure;
    if (interfaces === undefined || types.expectedMessageAt(literal) !== interfaces.card) return [];
    const { main, list } = interfaces.before;
    const find = (name: string | undefined): OwnProperty | undefined =>
      properties.find((property) => property.name === name);
    const [url, binding, others] = [main.url, main.binding, list].map(find);
    if (url?.value === undefined) return [];
    const text = this.#mainInterface(interfaces, url.value, binding?.value);
    const replaced = others ?? url;
    if (others?.value === undefined || !this.#insertInto(others, text, interfaces)) {
      const rest = others?.value === undefined ? "" : `, ...${this.#context.textOf(others.value)}`;
      const now = `${interfaces.after.list}: [${text}${rest}]`;
      edit(
        { start: replaced.node.getStart(file), end: replaced.node.end, text: now },
        replaced.name,
        interfaces.after.list,
      );
    }
    const versions = properties.filter(({ paths }) => this.#isRemovedVersion(paths));
    return [url, binding, ...versions].flatMap((entry) =>
      entry === undefined || entry === replaced ? [] : [entry.node],
    );
  }

  /**
   * Renames the list in code that reads a card, and adds a notice that the list now contains the
   * main interface.
   */
  read({ name }: ts.PropertyAccessExpression): void {
    const { ts, symbols, structure, file, edit, notice } = this.#context;
    const { interfaces } = structure;
    if (interfaces === undefined || ts.isPrivateIdentifier(name)) return;
    const { before, after, card } = interfaces;
    if (before.list === undefined || !symbols.membersAt(name).includes(`${card}.${before.list}`))
      return;
    const moved = `and also has the interface that was "${before.main.url}" of the card`;
    notice(name, `"${before.list}" is now "${after.list}", ${moved}`);
    edit({ start: name.getStart(file), end: name.end, text: after.list }, name.text, after.list);
  }

  /** Adds the version to an interface. */
  complete(
    literal: ts.ObjectLiteralExpression,
    removed: ReadonlySet<ts.ObjectLiteralElementLike>,
  ): void {
    const { ts, types, structure, file, edit } = this.#context;
    const { interfaces, versions } = structure;
    const version = interfaces?.after.version;
    if (interfaces?.element === undefined || version === undefined || versions === undefined)
      return;
    if (
      interfaces.before.version !== undefined ||
      types.expectedMessageAt(literal) !== interfaces.element
    )
      return;
    if (
      literal.properties.length === 0 ||
      literal.properties.some((property) => ts.isSpreadAssignment(property))
    )
      return;
    const text = `${version}: ${JSON.stringify(versions.to)}`;
    edit(addedProperty(literal, text, file, removed), interfaces.element, text);
  }

  /**
   * Inserts the main interface at the start of a list, unless the list already contains it. Returns
   * whether the list is a literal.
   */
  #insertInto({ node, value }: OwnProperty, text: string, interfaces: MovedInterfaces): boolean {
    const { ts, file, edit } = this.#context;
    if (value === undefined || !ts.isArrayLiteralExpression(value) || node.name === undefined)
      return false;
    const { list } = interfaces.after;
    edit(
      { start: node.name.getStart(file), end: node.name.end, text: list },
      node.name.getText(file),
      list,
    );
    const [first] = value.elements;
    const isListed = value.elements.some((element) => this.#mainText(element, interfaces) === text);
    if (isListed) return true;
    const start = first?.getStart(file) ?? value.getStart(file) + 1;
    const indent = /\n[ \t]*$/.exec(file.text.slice(value.getStart(file), start))?.[0] ?? " ";
    edit({ start, end: start, text: first === undefined ? text : `${text},${indent}` });
    return true;
  }

  /** Returns the text of a list element in the form of the main interface. */
  #mainText(element: ts.Expression, interfaces: MovedInterfaces): string | undefined {
    const { ts } = this.#context;
    if (!ts.isObjectLiteralExpression(element)) return undefined;
    const { url, binding } = interfaces.before;
    const valueNamed = (name: string | undefined): ts.Expression | undefined =>
      valueOf(
        element.properties.find((property) => nameOf(property, ts) === name),
        ts,
      );
    const address = valueNamed(url);
    return address && this.#mainInterface(interfaces, address, valueNamed(binding));
  }

  #mainInterface(
    { before, after }: MovedInterfaces,
    url: ts.Expression,
    binding: ts.Expression | undefined,
  ): string {
    const { textOf, structure } = this.#context;
    const isShort = textOf(url) === after.url;
    const parts = [
      isShort ? after.url : `${after.url}: ${textOf(url)}`,
      `${after.binding}: ` +
        (binding === undefined ? JSON.stringify(before.main.defaultBinding) : textOf(binding)),
      ...(after.version === undefined
        ? []
        : [`${after.version}: ${JSON.stringify(structure.versions?.to)}`]),
    ];
    return `{ ${parts.join(", ")} }`;
  }

  #isRemovedVersion(paths: readonly string[]): boolean {
    const { versions } = this.#context.structure;
    return paths.some((path) => versions?.before.has(path) === true && !versions.after.has(path));
  }
}
