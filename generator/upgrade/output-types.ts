import type { ts } from "ts-morph";
import type { Checked } from "./project.js";
import type { Choice, ChoiceCase } from "./restructuring.js";
import type { Symbols } from "./symbols.js";

/** Union that is the declared type of an expression, and the message to which the expression is narrowed. */
export interface Narrowed {
  readonly choice: Choice;
  readonly case: ChoiceCase;
}

/** Finds the messages and unions of the previous output that are the types of expressions in the user's files. */
export class OutputTypes {
  readonly #ts: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #symbols: Symbols;
  readonly #choices: readonly Choice[];

  constructor({ ts, checker }: Pick<Checked, "ts" | "checker">, symbols: Symbols, choices: readonly Choice[]) {
    this.#ts = ts;
    this.#checker = checker;
    this.#symbols = symbols;
    this.#choices = choices;
  }

  /**
   * Returns the messages that a type consists of, ignoring `undefined`, promises, and types that are not from the
   * output.
   */
  messagesOf(type: ts.Type | undefined): readonly string[] {
    if (type === undefined) return [];
    const members = type.isUnion() ? type.types : [type];
    return [...new Set(members.flatMap((member) => this.#symbols.pathsOf(member.getSymbol()).slice(0, 1)))];
  }

  /** Returns the choice whose messages are exactly the messages of a type. */
  choiceOf(type: ts.Type | undefined): Choice | undefined {
    const names = new Set(this.messagesOf(type));
    return this.#choices.find(({ cases }) => {
      const own = new Set([...cases.values()].map((one) => one.type));
      return own.size === names.size && [...own].every((name) => names.has(name));
    });
  }

  /** Returns the message type of the output that an expression must have; `undefined` if several types are possible. */
  messageAt(expression: ts.Expression): string | undefined {
    const type = this.#checker.getTypeAtLocation(expression);
    const [name, ...others] = this.messagesOf(type);
    return others.length > 0 || (type.isUnion() && type.types.length > 1) ? undefined : name;
  }

  /** Returns the choice that is the declared type of an expression, even if the type is narrowed. */
  choiceAt(expression: ts.Expression): Choice | undefined {
    return this.choiceOf(this.#declaredAt(expression)) ?? this.choiceOf(this.#checker.getTypeAtLocation(expression));
  }

  /** Returns the choice that the position of an expression requires. */
  expectedChoiceAt(expression: ts.Expression): Choice | undefined {
    return this.choiceOf(this.#checker.getContextualType(expression));
  }

  /** Returns the message that the position of an expression requires, if it requires a single message. */
  expectedMessageAt(expression: ts.Expression): string | undefined {
    const [name, ...others] = this.messagesOf(this.#checker.getContextualType(expression));
    return others.length > 0 ? undefined : name;
  }

  /**
   * Returns the message of a choice to which a reference is narrowed; `undefined` if it is not a narrowed reference.
   */
  narrowedAt(reference: ts.Expression): Narrowed | undefined {
    const message = this.messageAt(reference);
    const choice = message === undefined ? undefined : this.choiceOf(this.#declaredAt(reference));
    const found = [...(choice?.cases.values() ?? [])].find(({ type }) => type === message);
    return choice === undefined || found === undefined ? undefined : { choice, case: found };
  }

  /**
   * Returns the case of a choice that an expression belongs to, according to the constant in the type of the
   * expression.
   */
  caseOf(choice: Choice, expression: ts.Expression): ChoiceCase | undefined {
    const message = this.messageAt(expression);
    const named = [...choice.cases.values()].find(({ type }) => type === message);
    if (named !== undefined || !this.#ts.isObjectLiteralExpression(expression)) return named;
    const key = this.#checker.getTypeAtLocation(expression).getProperty(choice.discriminator);
    const constant = key && this.#checker.getTypeOfSymbol(key);
    return constant?.isStringLiteral() === true ? choice.cases.get(constant.value) : undefined;
  }

  #declaredAt(expression: ts.Expression): ts.Type | undefined {
    if (!this.#ts.isIdentifier(expression) && !this.#ts.isPropertyAccessExpression(expression)) return undefined;
    const { parent } = expression;
    const symbol = this.#ts.isShorthandPropertyAssignment(parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(parent)
      : this.#checker.getSymbolAtLocation(expression);
    return symbol && this.#checker.getTypeOfSymbol(symbol);
  }
}
