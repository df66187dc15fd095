import type { ts } from "ts-morph";
import type { Choice, ChoiceCase } from "./choices.js";
import type { RewriteContext } from "./rewrite-context.js";

/** Member of a type in the user's code that names a message of a former union. */
interface Named {
  readonly node: ts.TypeReferenceNode;
  readonly case: ChoiceCase;
}

/** Rewrites types that consist of alternatives of a former union: `StatusEvent | ArtifactEvent`. */
export class TypeRewriter {
  readonly #context: RewriteContext;
  /** Names that were replaced. */
  readonly replaced = new Set<ts.Node>();
  /** Names to import, by the import that they join. */
  readonly added = new Map<ts.ImportDeclaration, Set<string>>();

  constructor(context: RewriteContext) {
    this.#context = context;
  }

  visit(node: ts.Node): void {
    const { ts } = this.#context;
    if (ts.isUnionTypeNode(node)) this.#union(node);
    else if (ts.isTypePredicateNode(node)) this.#predicate(node);
    else if (ts.isTypeReferenceNode(node)) this.#alone(node);
    node.forEachChild((child) => this.visit(child));
  }

  #union(node: ts.UnionTypeNode): void {
    const { types, checker, file, edit } = this.#context;
    const choice = types.choiceOf(checker.getTypeFromTypeNode(node));
    const named =
      choice === undefined ? [] : node.types.flatMap((type) => this.#namedIn(type, choice) ?? []);
    const [first, ...others] = named;
    const text = choice && first && this.#textOf(first.node, choice, named);
    if (first === undefined || text === undefined) return;
    this.#replace(first, text);
    for (const other of others) {
      const before = node.types[node.types.indexOf(other.node) - 1];
      edit({ start: before?.end ?? other.node.getStart(file), end: other.node.end, text: "" });
      this.replaced.add(other.node.typeName);
    }
  }

  /** Rewrites `event is StatusEvent`, if the event is a union. */
  #predicate({ parameterName, type }: ts.TypePredicateNode): void {
    const { types, checker } = this.#context;
    const symbol = checker.getSymbolAtLocation(parameterName);
    const choice = symbol && types.choiceOf(checker.getTypeOfSymbol(symbol));
    const found = choice && type && this.#namedIn(type, choice);
    const text = choice && found && this.#textOf(found.node, choice, [found]);
    if (found !== undefined && text !== undefined) this.#replace(found, text);
  }

  /**
   * Rewrites the name of a message whose members now belong to the object, because the type no
   * longer exists.
   */
  #alone(node: ts.TypeReferenceNode): void {
    const { structure } = this.#context;
    if (this.replaced.has(node.typeName)) return;
    for (const choice of structure.choices) {
      const found = this.#namedIn(node, choice);
      const text =
        found?.case.isWrapped === false ? this.#textOf(node, choice, [found]) : undefined;
      if (found !== undefined && text !== undefined) return this.#replace(found, text);
    }
  }

  #replace({ node }: Named, text: string): void {
    const { file, edit } = this.#context;
    edit({ start: node.getStart(file), end: node.end, text }, node.getText(file), text);
    this.replaced.add(node.typeName);
  }

  #namedIn(node: ts.TypeNode, { cases }: Choice): Named | undefined {
    const { ts, symbols } = this.#context;
    if (!ts.isTypeReferenceNode(node) || node.typeArguments !== undefined) return undefined;
    const name = ts.isQualifiedName(node.typeName) ? node.typeName.right : node.typeName;
    const paths = symbols.pathsAt(name);
    const found = [...cases.values()].find(({ type }) => paths.includes(type));
    return found && { node, case: found };
  }

  /**
   * Returns the type of some cases of a union; `undefined` if the name of the union cannot be used
   * in the file.
   */
  #textOf(at: ts.TypeReferenceNode, choice: Choice, named: readonly Named[]): string | undefined {
    const { structure } = this.#context;
    const name = this.#nameFor(at, choice.now);
    const whole = structure.choices.find(({ now }) => now === choice.now);
    const members = [...new Set(named.flatMap(({ case: { members } }) => members))];
    if (name === undefined || members.length === 0) return undefined;
    if (new Set(named.map(({ case: { type } }) => type)).size === whole?.cases.size) return name;
    return `Extract<${name}, ${members.map((member) => `{ ${member}: unknown }`).join(" | ")}>`;
  }

  /**
   * Returns the name of a type of the output in the file. Imports the type beside the type that it
   * replaces.
   */
  #nameFor({ typeName }: ts.TypeReferenceNode, name: string): string | undefined {
    const { ts, file, names, symbols } = this.#context;
    if (ts.isQualifiedName(typeName)) return `${typeName.left.getText(file)}.${name}`;
    const imports = file.statements.filter(
      (found): found is ts.ImportDeclaration =>
        ts.isImportDeclaration(found) && symbols.isModule(found.moduleSpecifier),
    );
    const elements = imports.flatMap((statement) => {
      const bindings = statement.importClause?.namedBindings;
      return bindings !== undefined && ts.isNamedImports(bindings)
        ? bindings.elements.map((element) => ({ statement, element }))
        : [];
    });
    const known = elements.find(({ element: { name: local, propertyName = local } }) => {
      return (names.exports.get(propertyName.text) ?? propertyName.text) === name;
    });
    if (known !== undefined)
      return known.element.propertyName === undefined ? name : known.element.name.text;
    const beside = elements.find(({ element }) => element.name.text === typeName.text)?.statement;
    if (beside === undefined || this.#isTaken(name)) return undefined;
    this.added.set(beside, (this.added.get(beside) ?? new Set()).add(name));
    return name;
  }

  #isTaken(name: string): boolean {
    const { ts, checker, file } = this.#context;
    const { Type, Value, Namespace, Alias } = ts.SymbolFlags;
    const scope = file.statements.at(-1) ?? file;
    return checker
      .getSymbolsInScope(scope, Type | Value | Namespace | Alias)
      .some((symbol) => symbol.name === name);
  }
}
