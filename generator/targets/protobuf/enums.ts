import { modelRef } from "../../emit/output-modules.js";
import type { Part } from "../../emit/parts.js";
import { headedStatement, keyOf } from "../../emit/text.js";
import { subjectOf } from "../../protocol/build/subjects.js";
import type { WireDef, WireEnumDef } from "../../protocol/model/types.js";
import { keywordFor, startPart, type CodecFile } from "./codec-file.js";
import { innermost } from "./wire-types.js";

/** View of the tables with the numbers and the names of an enum. */
export interface EnumView {
  readonly kind: "enum";
  readonly keyword: string;
  readonly numbers: string;
  readonly type: string;
  readonly entries: readonly string[];
  /** The table from numbers to names. */
  readonly inverse: readonly string[];
}

/** Returns the enums that fields of messages have. */
export function usedEnums({ messages, enums }: WireDef): WireEnumDef[] {
  const types = messages.flatMap(({ fields }) => fields.map(({ type }) => innermost(type)));
  const used = new Set(types.map((type) => (type.kind === "enum" ? type.name : undefined)));
  return enums.filter(({ name }) => used.has(name));
}

/** Plans the tables of an enum. */
export function enumPart(type: WireEnumDef, file: CodecFile): Part<EnumView> {
  const uses = startPart(file);
  const model = file.imports.type(modelRef(type.model));
  const numbers = file.names.numbers(type.name);
  const names = file.names.names(type.name);
  const carried = type.values.filter(({ json }) => json !== undefined);
  const entries = carried.map(({ json = "", number }) => `${keyOf(json)}: ${number},`);
  const optional = carriesAll(type, file) ? "" : "?";
  return {
    subject: subjectOf(file.protocol, type.model),
    of: { type: type.fullName },
    exports: [],
    declares: [numbers, names],
    uses,
    view: (isShared) => {
      const keyword = keywordFor(isShared(numbers) || isShared(names));
      const head = `${keyword}const ${names}: ReadonlyMap<number, ${model}> =`;
      const built = `/* @__PURE__ */ wire.enumNames(${numbers});`;
      return {
        kind: "enum",
        keyword,
        numbers,
        type: `{ readonly [K in ${model}]${optional}: number }`,
        entries,
        inverse: headedStatement(head, built, 0),
      };
    },
  };
}

/** Returns whether the proto has a number for each value of the model. */
function carriesAll({ model, values }: WireEnumDef, { protocol }: CodecFile): boolean {
  const type = protocol.types.find(({ name }) => name === model);
  const carried = new Set(values.map(({ json }) => json));
  return type?.kind === "enum" && type.values.every(({ name }) => carried.has(name));
}
