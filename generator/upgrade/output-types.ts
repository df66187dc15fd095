import type { ts } from "ts-morph";
import { Flow } from "./flow.js";
import type { Checked } from "./project.js";
import type { Choice, ChoiceCase } from "./choices.js";
import type { Symbols } from "./symbols.js";

/**
 * Union that is the declared type of an expression, and the message to which the expression is
 * narrowed.
 */
export interface Narrowed {
  readonly choice: Choice;
  readonly case: ChoiceCase;
}

/**
 * Finds the messages and unions of the previous output that are the types of expressions in the
 * user's files.
 */
export class OutputTypes {
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #flow: Flow;
  readonly #symbols: Symbols;
  readonly #choices: readonly Choice[];

  constructor(project: Checked, symbols: Symbols, choices: readonly Choice[]) {
    this.#ts = project.ts;
    this.#checker = project.checker;
    this.#flow = Flow.of(project);
    this.#symbols = symbols;
    this.#choices = choices;
  }

  /**
   * Returns the messages that a type consists of, ignoring `undefined`, promises, and types that
   * are not from the output.
   */
  messagesOf(type: ts.Type | undefined): readonly string[] {
    if (type === undefined) return [];
    const members = type.isUnion() ? type.types : [type];
    return [
      ...new Set(
        members.flatMap((member) => this.#symbols.pathsOf(member.getSymbol()).slice(0, 1)),
      ),
    ];
  }

  /**
   * Returns the choice whose messages are the messages of a type. For a type with only some
   * messages of a choice, such as an alias of the user's own, returns this part of the choice.
   */
  choiceOf(type: ts.Type | undefined): Choice | undefined {
    const names = this.messagesOf(type);
    const isWithin = ({ cases }: Choice): boolean => {
      const own = new Set([...cases.values()].map((entry) => entry.type));
      return names.every((name) => own.has(name));
    };
    const found = this.#choices.filter(isWithin).sort((a, b) => a.cases.size - b.cases.size)[0];
    if (names.length < 2 || found === undefined) return undefined;
    const cases = new Map([...found.cases].filter(([, one]) => names.includes(one.type)));
    return cases.size === found.cases.size ? found : { ...found, cases };
  }

  /** Returns whether a choice has a case in the same form. */
  isAmong({ type, members }: ChoiceCase, { cases }: Choice): boolean {
    return [...cases.values()].some(
      (entry) => entry.type === type && entry.members.join() === members.join(),
    );
  }

  /** Returns the type of the elements of a list. */
  elementOf(type: ts.Type): ts.Type | undefined {
    return this.#checker.getIndexTypeOfType(type, this.#ts.IndexKind.Number);
  }

  /** Returns the choice that the elements of a list have. */
  elementChoiceOf(type: ts.Type): Choice | undefined {
    return this.choiceOf(this.elementOf(type));
  }

  /** Returns whether the position of an expression requires a choice, or a list of a choice. */
  isChoiceExpectedAt(expression: ts.Expression, isList: boolean): boolean {
    const type = this.#checker.getContextualType(expression);
    return (
      type !== undefined &&
      (isList ? this.elementChoiceOf(type) : this.choiceOf(type)) !== undefined
    );
  }

  /** Returns whether a name is the name of a discriminator. */
  isDiscriminator({ text }: ts.MemberName): boolean {
    return this.#choices.some(({ discriminator }) => discriminator === text);
  }

  /**
   * Returns the constants that the discriminator of a value may have at its position, with their
   * cases.
   */
  constantsAt(expression: ts.Expression): readonly (readonly [constant: string, of: ChoiceCase])[] {
    const type = this.#checker.getTypeAtLocation(expression);
    const messages = this.messagesOf(type);
    const isWhole = messages.length === (type.isUnion() ? type.types.length : 1);
    const choice =
      messages.length > 1
        ? this.choiceAt(expression)
        : this.#choices.find(({ cases }) =>
            [...cases.values()].some((entry) => entry.type === messages[0]),
          );
    const found = [...(choice?.cases ?? [])].filter(([, one]) => messages.includes(one.type));
    return isWhole && found.length === messages.length ? found : [];
  }

  /** Returns the cases that a reference to a choice may have at its position. */
  casesAt(expression: ts.Expression): readonly ChoiceCase[] {
    const choice = this.choiceOf(this.#declaredAt(expression));
    return choice === undefined ? [] : this.constantsAt(expression).map(([, one]) => one);
  }

  /** Returns whether an expression can be evaluated several times. */
  isPlain(node: ts.Expression): boolean {
    if (this.#ts.isPropertyAccessExpression(node)) return this.isPlain(node.expression);
    return this.#ts.isIdentifier(node) || node.kind === this.#ts.SyntaxKind.ThisKeyword;
  }

  /**
   * Returns the message type of the output that an expression must have; `undefined` if several
   * types are possible.
   */
  messageAt(expression: ts.Expression): string | undefined {
    const type = this.#checker.getTypeAtLocation(expression);
    const [name, ...others] = this.messagesOf(type);
    return others.length > 0 || (type.isUnion() && type.types.length > 1) ? undefined : name;
  }

  /**
   * Returns the choice that is the declared type of an expression, even if the type is narrowed.
   */
  choiceAt(expression: ts.Expression): Choice | undefined {
    return (
      this.choiceOf(this.#declaredAt(expression)) ??
      this.choiceOf(this.#checker.getTypeAtLocation(expression))
    );
  }

  /** Returns the choice that the position of an expression requires. */
  expectedChoiceAt(expression: ts.Expression): Choice | undefined {
    return this.choiceOf(this.#checker.getContextualType(expression));
  }

  /**
   * Returns the message that the position of an expression requires, if it requires a single
   * message.
   */
  expectedMessageAt(expression: ts.Expression): string | undefined {
    const [name, ...others] = this.messagesOf(this.#flow.expectedAt(expression));
    return others.length > 0 ? undefined : name;
  }

  /**
   * Returns the message of a choice to which a reference is narrowed; `undefined` if it is not a
   * narrowed reference.
   */
  narrowedAt(reference: ts.Expression): Narrowed | undefined {
    const message = this.messageAt(reference);
    const choice = message === undefined ? undefined : this.choiceOf(this.#declaredAt(reference));
    const found = [...(choice?.cases.values() ?? [])].find(({ type }) => type === message);
    return choice === undefined || found === undefined ? undefined : { choice, case: found };
  }

  /**
   * Returns the case of a choice that an expression belongs to, according to the constant in the
   * type of the expression.
   */
  caseOf(choice: Choice, expression: ts.Expression): ChoiceCase | undefined {
    const message = this.messageAt(expression);
    const named = [...choice.cases.values()].find(({ type }) => type === message);
    if (named !== undefined || !this.#ts.isObjectLiteralExpression(expression)) return named;
    const key = this.#checker.getTypeAtLocation(expression).getProperty(choice.discriminator);
    const constant = key && this.#checker.getTypeOfSymbol(key);
    return constant?.isStringLiteral() === true ? choice.cases.get(constant.value) : undefined;
  }

  /** Returns the case of a choice that a promise resolves to. */
  promisedCaseOf(choice: Choice, promise: ts.Expression): ChoiceCase | undefined {
    const type = this.#checker.getTypeAtLocation(promise);
    const value = this.#checker.getAwaitedType(type);
    const [message, ...others] = this.messagesOf(value);
    if (value === type || value?.isUnion() === true || others.length > 0) return undefined;
    return [...choice.cases.values()].find((entry) => entry.type === message);
  }

  #declaredAt(expression: ts.Expression): ts.Type | undefined {
    if (!this.#ts.isIdentifier(expression) && !this.#ts.isPropertyAccessExpression(expression))
      return undefined;
    const { parent } = expression;
    const symbol = this.#ts.isShorthandPropertyAssignment(parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(parent)
      : this.#checker.getSymbolAtLocation(expression);
    return symbol && this.#checker.getTypeOfSymbol(symbol);
  }
}
