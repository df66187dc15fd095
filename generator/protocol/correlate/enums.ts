import { upperSnakeCase, wordsOf } from "../../../support/names.js";
import type { EnumDef, WireEnumDef } from "../model/types.js";
import type { CorrelationHints } from "./hints.js";

/** The correlation of two enums: the matching values, and the values without a counterpart. */
export interface CorrelatedEnum {
  readonly values: WireEnumDef["values"];
  readonly unmatched: readonly { readonly text: string; readonly side: "json" | "protobuf" }[];
}

/**
 * Matches the values of an enum of the proto with the strings of the schema:
 * `TASK_STATE_INPUT_REQUIRED` matches `input-required`. The value 0 of the proto may have no
 * string, because it means that the value is absent.
 */
export function correlateEnum(
  proto: EnumDef,
  model: EnumDef,
  hints: CorrelationHints,
): CorrelatedEnum {
  const given = hints.enum(model.fullName);
  const prefix = `${upperSnakeCase(proto.name)}_`;
  const bare = (name: string): string =>
    name.startsWith(prefix) ? name.slice(prefix.length) : name;
  const same = (text: string, name: string): boolean =>
    wordsOf(text).join() === wordsOf(bare(name)).join();
  const textOf = (name: string): string | undefined => {
    const hinted = Object.entries(given).find(([, value]) => value === name)?.[0];
    return (
      hinted ??
      model.values.find((value) => given[value.name] === undefined && same(value.name, name))?.name
    );
  };
  const values = proto.values.map(({ name, number = 0 }) => {
    const json = textOf(name);
    return { name, number, ...(json !== undefined && { json }) };
  });
  const texts = new Set(values.map(({ json }) => json));
  const withoutProto = model.values.filter(
    ({ name }) => !texts.has(name) && !hints.isOnlyJson(`${model.fullName}.${name}`),
  );
  const withoutText = values.filter(
    ({ json, number, name }) =>
      json === undefined && number !== 0 && !hints.isOnlyProtobuf(`${proto.name}.${name}`),
  );
  return {
    values,
    unmatched: [
      ...withoutProto.map(({ name }) => ({ text: name, side: "json" as const })),
      ...withoutText.map(({ name }) => ({ text: name, side: "protobuf" as const })),
    ],
  };
}
