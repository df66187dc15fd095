import type { Imports } from "../../emit/imports.js";
import { validatorRef } from "../../emit/output-modules.js";
import type { Part } from "../../emit/parts.js";
import { runtime } from "../../emit/runtime-modules.js";
import { encloseObject, indent, quote } from "../../emit/text.js";
import { commonSubject } from "../../protocol/build/subjects.js";
import type { ValueType, WireDef, WireMessageDef } from "../../protocol/model/types.js";
import { keywordFor, startPart, type CodecFile } from "./codec-file.js";
import { innermost } from "./wire-types.js";

/** View of the table of the messages that an Any can contain. */
export interface RegistryView {
  readonly kind: "registry";
  readonly keyword: string;
  readonly name: string;
  readonly type: string;
  readonly entries: readonly string[];
}

/** Returns whether a message has a field whose value is an Any. */
export function holdsAny({ messages }: WireDef): boolean {
  return messages.some(
    ({ fields, wellKnown }) =>
      isAny(wellKnown) || fields.some(({ type }) => isAny(innermost(type))),
  );
}

function isAny(type: ValueType | undefined): boolean {
  return type?.kind === "wellKnown" && type.wellKnown === "Any";
}

/** Plans the table of the messages that an Any can contain. */
export function registryPart(file: CodecFile): Part<RegistryView> {
  const uses = startPart(file);
  const name = file.names.registry();
  const type = file.imports.type(runtime.Registry);
  const entries = file.wire.messages.flatMap((message) => entryOf(message, file));
  return {
    subject: commonSubject,
    exports: [],
    declares: [name],
    uses,
    view: (isShared) => {
      return { kind: "registry", keyword: keywordFor(isShared(name)), name, type, entries };
    },
  };
}

function entryOf(
  { fullName, name, model, wellKnown }: WireMessageDef,
  { imports, names }: CodecFile,
): string[] {
  // The runtime already supports the well-known messages in an Any.
  if (wellKnown !== undefined) return [];
  const value = "name" in model ? parsed(model.name, imports) : "value";
  const members = [
    `encode: (value) => ${imports.own(`encode${name}`)}(${value})`,
    `decode: (bytes, depth) => wire.decode(bytes, ${names.read(name)}, depth)`,
  ];
  const codec = encloseObject("", members, ",", 4);
  return ["[", ...[`${quote(fullName)},`, ...codec].map(indent), "],"];
}

/**
 * Returns the expression that checks the value in an Any. `open` accepts all values that bytes can
 * contain, including enum numbers without a name.
 */
function parsed(name: string, imports: Imports): string {
  const parse = imports.value(runtime.parse);
  return `${parse}(${imports.value(validatorRef(`${name}Schema`))}, value, "open")`;
}
