import type { Location } from "../../../support/diagnostics.js";
import type { EnumDef, ValueType, WireEnumDef } from "../model/types.js";
import type { Context } from "./context.js";
import { correlateEnum } from "./enums.js";
import { describe } from "./fits.js";

type Parts = Pick<Context, "proto" | "schema" | "shapes" | "hints" | "diagnostics">;

/** Determines how the enums of a proto represent the enums of a schema. */
export class WireEnums {
  readonly #parts: Parts;
  readonly #protoEnums: ReadonlyMap<string, EnumDef>;
  readonly #found = new Map<string, WireEnumDef>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#protoEnums = new Map(
      parts.proto.types.flatMap((type) =>
        type.kind === "enum" ? [[type.name, type] as const] : [],
      ),
    );
  }

  /** Returns the correlation of an enum of the proto; `undefined` if the enum is not correlated. */
  get(name: string): WireEnumDef | undefined {
    return this.#found.get(name);
  }

  /**
   * Correlates an enum of the proto with the type that a field with this enum must represent.
   * Reports values without a counterpart.
   */
  carry(
    name: string,
    model: ValueType,
    field: { readonly name: string; readonly at: Location | undefined },
  ): void {
    const { shapes, diagnostics, proto: side } = this.#parts;
    const proto = this.#protoEnums.get(name);
    const found = model.kind === "enum" ? shapes.find(model.name) : undefined;
    const earlier = this.#found.get(name);
    if (proto === undefined) return;
    if (found?.kind !== "enum") {
      const message =
        `${field.name} is of the enum ${name}, and its counterpart in the schema is ` +
        describe(model);
      diagnostics.add(
        field.at,
        message,
        'Set a different name for the type of the schema under "names"',
      );
    } else if (earlier === undefined) this.#found.set(name, this.#carry(proto, found));
    else if (earlier.model !== found.name) {
      const message = `${proto.fullName} corresponds to both ${earlier.model} and ${found.name}`;
      diagnostics.add(
        side.locationOf(proto.fullName),
        message,
        "Map the fields under correlate.fields",
      );
    }
  }

  #carry(proto: EnumDef, model: EnumDef): WireEnumDef {
    const { diagnostics, hints, proto: protoSide, schema } = this.#parts;
    const { values, unmatched } = correlateEnum(proto, model, hints);
    for (const { text, side } of unmatched) {
      const isJson = side === "json";
      const [owner, other] = isJson
        ? [model.fullName, proto.fullName]
        : [proto.fullName, model.fullName];
      const listed = isJson
        ? `${model.fullName}.${text} under correlate.onlyJson`
        : `${proto.name}.${text} under correlate.onlyProtobuf`;
      const location = isJson ? schema.locationOf(owner) : protoSide.locationOf(`${owner}.${text}`);
      const hint = `Map it under correlate.enums.${model.fullName}, or list ${listed}`;
      diagnostics.add(
        location,
        `the value "${text}" of ${owner} has no counterpart in ${other}`,
        hint,
      );
    }
    return { name: proto.name, fullName: proto.fullName, model: model.name, values };
  }
}
