import { anyMessage, type MessageTypes } from "../../library/runtime/schema/any-type.js";
import * as predicates from "../../library/runtime/schema/constraints.js";
import * as message from "../../library/runtime/schema/message.js";
import type { Type } from "../../library/runtime/schema/schema.js";
import * as shapes from "../../library/runtime/schema/shapes.js";
import * as types from "../../library/runtime/schema/types.js";
import { schemaOf, type Check, type CheckModule } from "../emit/checks.js";
import type { Protocol, TypeDef } from "../protocol/model/types.js";

/**
 * Returns the types of a specification by name, with the same checks as the generated validators.
 */
export function documentTypes(protocol: Protocol): ReadonlyMap<string, Type<unknown>> {
  const builder = new TypeBuilder(protocol.types);
  return new Map(protocol.types.map(({ name }) => [name, builder.named(name)]));
}

const modules: Readonly<Record<CheckModule, Readonly<Record<string, unknown>>>> = {
  message,
  predicates,
  shapes,
  types,
};

/**
 * Evaluates the checks of a specification lazily, because types may refer to each other and to
 * themselves.
 */
class TypeBuilder {
  readonly #definitions: ReadonlyMap<string, TypeDef>;
  readonly #built = new Map<string, Type<unknown>>();

  constructor(definitions: readonly TypeDef[]) {
    this.#definitions = new Map(definitions.map((type) => [type.name, type]));
  }

  named(name: string): Type<unknown> {
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const definition = this.#definitions.get(name);
    const type = definition === undefined ? types.value : this.#build(definition);
    this.#built.set(name, type);
    return type;
  }

  #build(definition: TypeDef): Type<unknown> {
    const { of, args, table, lazy } = schemaOf(definition, this.#definitions);
    const given = [definition.name, ...args.map((arg) => this.#value(arg))];
    // `of` names a function of the runtime that returns a type, and `args` match its parameters, as
    // in generated code.
    return functionOf(of)(
      ...given,
      lazy ? () => this.#object(table) : this.#object(table),
    ) as Type<unknown>;
  }

  #value(check: Check): unknown {
    switch (check.kind) {
      case "schema":
        return this.named(check.type);
      case "member":
        return modules[check.module][check.name];
      case "call":
        return functionOf(check.of)(...check.args.map((arg) => this.#value(arg)));
      case "list":
        return check.items.map((item) => this.#value(item));
      case "object":
        return this.#object(check.members);
      case "constant":
        return check.value;
      case "pattern":
        return new RegExp(check.source, "u");
      case "any":
        return anyMessage(() => this.#messages());
    }
  }

  #object(members: Readonly<Record<string, Check>>): object {
    return Object.fromEntries(
      Object.entries(members).map(([key, check]) => [key, this.#value(check)]),
    );
  }

  /** Returns the messages that an Any may contain, by full name. */
  #messages(): MessageTypes {
    const messages = [...this.#definitions.values()].filter(({ kind }) => kind === "message");
    return Object.fromEntries(messages.map(({ name, fullName }) => [fullName, this.named(name)]));
  }
}

function functionOf({
  module,
  name,
}: Extract<Check, { kind: "member" }>): (...args: readonly unknown[]) => unknown {
  const found = modules[module][name];
  if (typeof found !== "function")
    throw new Error(`The runtime has no function ${name} in ${module}`);
  return (...args): unknown => Reflect.apply(found, undefined, args);
}
