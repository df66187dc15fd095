import type { TypeDef } from "../../protocol/model/types.js";
import { schemaOf, type Check, type CheckModule } from "../../emit/checks.js";
import { flat, memberLayout, type Expression } from "../../emit/expressions.js";
import type { GuardWriter } from "./guards.js";
import type { Imports } from "../../emit/imports.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { valueRef } from "../../emit/symbols.js";
import type { ValidatorNames } from "./names.js";
import {
  braced,
  bracketed,
  choice,
  hardLine,
  indented,
  lineWidth,
  print,
  type Layout,
} from "../../emit/layout.js";
import { keyOf, quote, shownName } from "../../emit/text.js";

/**
 * Function that returns the messages that an Any may contain: the name and the result type of the
 * function, and the entries of its result.
 */
export interface AnyTypes {
  readonly name: string;
  readonly type: string;
  readonly entries: readonly string[];
}

/**
 * Prints the schemas, with which the runtime finds the issues in values and parses values
 * leniently.
 */
export class SchemaWriter {
  readonly #imports: Imports;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #types: ReadonlyMap<string, TypeDef>;
  #anyTypes: string | undefined;

  constructor(
    types: readonly TypeDef[],
    names: ValidatorNames,
    guards: GuardWriter,
    imports: Imports,
  ) {
    this.#names = names;
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#guards = guards;
    this.#imports = imports;
  }

  /**
   * Returns the function that returns the messages that an Any may contain; `undefined` if no field
   * of a type is an Any.
   */
  anyTypes(): AnyTypes | undefined {
    if (this.#anyTypes === undefined) return undefined;
    const type = this.#imports.type(runtime.MessageTypes);
    const messages = [...this.#types.values()].filter(({ kind }) => kind === "message");
    const entries = messages.map(
      ({ name, fullName }) => `${keyOf(fullName)}: ${this.#names.schema(name)},`,
    );
    return { name: this.#anyTypes, type, entries };
  }

  /** Returns the lines that declare the schema of a type. */
  declare(type: TypeDef): string[] {
    const { of, args, table, lazy } = schemaOf(type, this.#types);
    const schema =
      `${this.#names.schema(type.name)}: ` +
      `${this.#imports.type(runtime.Schema)}<${this.#names.type(type.name)}>`;
    return declaration(
      schema,
      this.#member(of),
      [quote(shownName(type)), ...args.map((arg) => this.#text(arg))],
      {
        open: lazy ? "() => ({" : "{",
        entries: Object.entries(table).map(([key, check]) => this.#entry(key, check)),
        close: lazy ? "})" : "}",
      },
    );
  }

  /** Returns an entry of a table. An object in the entry has one line for each member. */
  #entry(key: string, check: Check): Layout {
    if (check.kind !== "object") return memberLayout(key, this.#expression(check));
    const members = Object.entries(check.members);
    if (members.length === 0) return `${key}: {},`;
    const entries = members.map(([name, member]) => memberLayout(name, this.#expression(member)));
    return braced(`${key}: `, entries, ",");
  }

  #expression(check: Check): Expression {
    switch (check.kind) {
      case "call":
        return {
          call: this.#member(check.of),
          args: check.args.map((arg) => this.#expression(arg)),
        };
      case "list":
        return { list: check.items.map((item) => this.#expression(item)) };
      case "object": {
        const members = Object.entries(check.members).map(
          ([key, check]) => [key, this.#expression(check)] as const,
        );
        return { object: Object.fromEntries(members) };
      }
      case "any":
        this.#anyTypes ??= this.#imports.declare("anyTypes");
        return {
          call: this.#imports.value(runtime.anyMessage),
          args: [this.#imports.own(this.#anyTypes)],
        };
      default:
        return this.#text(check);
    }
  }

  #text(check: Check): string {
    switch (check.kind) {
      case "schema":
        return this.#names.schema(check.type);
      case "member":
        return this.#member(check);
      case "constant":
        return typeof check.value === "string" ? quote(check.value) : String(check.value);
      case "pattern":
        return this.#guards.helpers.pattern(check.source, check.owner);
      default:
        return flat(this.#expression(check));
    }
  }

  #member({ module, name }: { readonly module: CheckModule; readonly name: string }): string {
    if (module === "predicates") return this.#guards.is(name);
    if (module === "message") return this.#imports.value(valueRef(runtime.message.module, name));
    return `${this.#imports.namespace(runtimeNamespaces[module])}.${name}`;
  }
}

/** Table of a schema, with its opening and closing text. */
interface TableLines {
  readonly open: string;
  readonly entries: readonly Layout[];
  readonly close: string;
}

/**
 * Returns the declaration of a schema: a call with arguments and a table, in the layout of the
 * formatter.
 */
function declaration(
  typed: string,
  call: string,
  args: readonly string[],
  { open, entries, close }: TableLines,
): string[] {
  const declared = `export const ${typed} =`;
  const start = `/* @__PURE__ */ ${call}(`;
  if (entries.length === 0)
    return print([`${declared} `, bracketed(start, [...args, open + close], ")"), ";"]);
  const table = [open, indented(entries.map((entry) => [hardLine, entry])), hardLine, close];
  const hugged = [`${start}${args.join(", ")}, `, table, ");"];
  const broken = [`${declared} `, bracketed(start, [...args, table], ")", { broken: true }), ";"];
  const isWide = declared.length + 1 + start.length > lineWidth;
  return print(
    choice([`${declared} `, hugged], isWide ? [declared, indented([hardLine, hugged])] : broken),
  );
}
