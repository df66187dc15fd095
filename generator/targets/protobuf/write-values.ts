import type { Imports } from "../../emit/imports.js";
import { bracketed, print, type Layout } from "../../emit/layout.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { guard } from "../../emit/text.js";
import type {
  ProtoValueType,
  ScalarName,
  ValueType,
  WellKnownName,
} from "../../protocol/model/types.js";
import type { Models } from "./model.js";
import type { CodecNames } from "./names.js";
import { hasOwnWireForm, tagOf, wireTypeOf, zeroOf } from "./wire-types.js";

/** Prints the statements that write single values. */
export class ValueWriter {
  readonly #imports: Imports;
  readonly #names: CodecNames;
  readonly #models: Models;

  constructor(imports: Imports, names: CodecNames, models: Models) {
    this.#imports = imports;
    this.#names = names;
    this.#models = models;
  }

  /** Returns the statements of a function that writes a well-known message. */
  message(type: ProtoValueType): string[] {
    if (type.kind === "wrapper")
      return printed([...this.#wrapped(type.scalar, "value"), "return writer;"]);
    if (type.kind !== "wellKnown" || type.wellKnown === "NullValue" || type.wellKnown === "Empty")
      throw new Error(`${type.kind} is not a message with its own wire form`);
    return print(["return ", this.#wellKnownMessage(type.wellKnown, "value", "writer"), ";"], 2);
  }

  /** Returns the statements that write the field of a wrapper. */
  #wrapped(scalar: ScalarName, access: string): Layout[] {
    const type = { kind: "scalar", scalar } as const;
    const write = this.value(type, access, tagOf(1, wireTypeOf(scalar)));
    return guard(this.differenceFromZero(type, access) ?? "", write);
  }

  /** Returns the statements that write one value after its tag. */
  value(type: ValueType, access: string, tag: number): Layout[] {
    const tagged = `writer.uint32(${tag})`;
    switch (type.kind) {
      case "scalar":
        return [`${tagged}.${this.#scalar(type.scalar, access)};`];
      case "enum":
        return [`${tagged}.int32(wire.enumNumber(${this.#names.numbers(type.name)}, ${access}));`];
      case "message":
        return [[called(this.#names.write(type.name), access, `${tagged}.fork()`), ".ldelim();"]];
      case "wrapper":
        return [`${tagged}.fork();`, ...this.#wrapped(type.scalar, access), "writer.ldelim();"];
      case "wellKnown":
        return this.#wellKnown(type.wellKnown, access, tagged);
      default:
        throw new Error(`protobuf has no ${type.kind} as one value`);
    }
  }

  #wellKnown(name: WellKnownName, access: string, tagged: string): Layout[] {
    if (name === "NullValue") return [`wire.expectNull(${access});`, `${tagged}.int32(0);`];
    if (name === "Empty")
      return [`wire.expectObject(${access}, "empty object");`, `${tagged}.fork().ldelim();`];
    return [[this.#wellKnownMessage(name, access, `${tagged}.fork()`), ".ldelim();"]];
  }

  /** Returns the call that writes the fields of a well-known message and returns the writer. */
  #wellKnownMessage(
    name: Exclude<WellKnownName, "Empty" | "NullValue">,
    access: string,
    writer: string,
  ): Layout {
    if (name === "Any")
      return called(this.#imports.value(runtime.writeAny), access, writer, this.#names.registry());
    const write = hasOwnWireForm(name)
      ? this.#imports.value(runtime[`write${name}`])
      : `wire.write${name}`;
    return called(write, access, writer);
  }

  /** Returns the statements that write an item of a packed list. */
  packed(element: ValueType): string[] {
    if (element.kind === "enum")
      return [`writer.int32(wire.enumNumber(${this.#names.numbers(element.name)}, item));`];
    if (element.kind !== "scalar") return ["wire.expectNull(item);", "writer.int32(0);"];
    return [`writer.${this.#scalar(element.scalar, "item")};`];
  }

  place(): string {
    return this.#imports.namespace(runtimeNamespaces.place);
  }

  /**
   * Returns the condition that a value differs from the default of its type; `undefined` for types
   * without a default.
   */
  differenceFromZero(type: ValueType, access: string): string | undefined {
    if (type.kind === "scalar" && type.scalar === "bool") return `wire.isTrue(${access})`;
    if (type.kind === "scalar") return `${access} !== ${zeroOf(type.scalar)}`;
    return type.kind === "enum"
      ? `wire.enumNumber(${this.#names.numbers(type.name)}, ${access}) !== 0`
      : undefined;
  }

  /** Returns the call that writes a scalar. */
  #scalar(scalar: ScalarName, access: string): string {
    if (scalar === "bytes") return `base64(${access})`;
    // If JSON Schema describes the model, non-finite numbers are not part of its types.
    const isOpen = !this.#models.isProtoJson && (scalar === "double" || scalar === "float");
    return `${scalar}(${isOpen ? `${this.place()}.finite(${access})` : access})`;
  }
}

/** Returns the lines of statements, for code that is indented by one step. */
export function printed(statements: readonly Layout[]): string[] {
  return statements.flatMap((statement) => print(statement, 2));
}

/** Returns the layout of a call. */
function called(name: string, ...args: readonly string[]): Layout {
  return bracketed(`${name}(`, args, ")");
}
