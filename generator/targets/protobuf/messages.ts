import { articleOf } from "../../../support/names.js";
import type { Part } from "../../emit/parts.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { enclose, indent, quote, shownName } from "../../emit/text.js";
import { subjectOf } from "../../protocol/build/subjects.js";
import { codecNames } from "../../protocol/names/output-names.js";
import type { WireFieldDef, WireMessageDef } from "../../protocol/model/types.js";
import { keywordFor, startPart, type CodecFile } from "./codec-file.js";
import { defaultOf, headsOf, isInherited } from "./heads.js";
import type { CodecNames } from "./names.js";
import { FieldReader } from "./read.js";
import { innermost, memberPaths } from "./wire-types.js";
import { FieldWriter } from "./write.js";

/** View of the functions of a message. */
export interface MessageView extends ReturnType<typeof messageView> {
  readonly isExported: boolean;
  readonly heads: object;
}

/** Plans the functions of a message. If `isExported` is false, only other messages use them. */
export function messagePart(
  message: WireMessageDef,
  file: CodecFile,
  { isExported }: { readonly isExported: boolean },
): Part<MessageView> {
  const { name } = message;
  const uses = startPart(file);
  const view = messageView(message, file);
  const headsWith = headsOf(message, view, file);
  const model = innermost(message.model);
  const exported = isExported ? codecNames : [];
  return {
    subject: subjectOf(file.protocol, ...("name" in model ? [model.name] : []), name),
    of: { type: message.fullName },
    exports: exported.map(([prefix, suffix]) => ({
      name: prefix + name + suffix,
      typeOnly: false,
    })),
    declares: [file.names.write(name), file.names.read(name)],
    uses,
    view: (isShared) => ({
      ...view,
      isExported,
      heads: headsWith((declared) => keywordFor(isShared(declared))),
    }),
  };
}

/** Returns whether a message keeps its unknown fields on the object that represents it. */
export function keepsUnknown(message: WireMessageDef, { models }: CodecFile): boolean {
  return (
    message.wellKnown === undefined && isOwnObject(message) && !models.isListOrMap(message.name)
  );
}

function messageView(message: WireMessageDef, file: CodecFile) {
  const { imports, names, models } = file;
  const { name, model, fields, wellKnown } = message;
  const type = models.typeOf(model);
  const shown = quote(shownName({ name: type, fullName: message.fullName }));
  // In the order of the numbers, as other implementations write them.
  const sorted = fields.toSorted((a, b) => a.proto.number - b.proto.number);
  const writer = new FieldWriter(imports, names, message, models);
  const reader = new FieldReader(imports, names, message, models);
  const whole = wellKnown && { write: writer.wellKnown(), read: reader.message(wellKnown) };
  const writes = [...writer.preamble(), ...sorted.flatMap((field) => writer.statements(field))];
  const cases = sorted.flatMap((field) => reader.cases(field));
  const keeps = keepsUnknown(message, file);
  const pass = keeps
    ? "wire.keep(value, reader, tag, end, depth);"
    : "wire.skip(reader, tag, end, depth);";
  return {
    kind: "message" as const,
    what: type,
    name,
    article: articleOf(name),
    reads: names.read(name),
    empty: cases.length === 0,
    expected: wellKnown === undefined && isObject(message) && shown,
    inherited: isInherited(message),
    keeps,
    wellKnown: whole ?? false,
    pass,
    constants: [...oneofTables(message, names), ...resourceConstants(message, file)],
    writes,
    cases,
    fills: cases.length === 0 ? [] : fields.flatMap((field) => fillOf(field, file)),
  };
}

/**
 * Returns whether a message is an object with members in JSON. This excludes a message that is
 * represented by the value of its only field.
 */
function isObject({ model, fields }: WireMessageDef): boolean {
  if (!("name" in model) && model.kind === "never") return false;
  return fields.every(
    ({ mapping }) =>
      mapping.kind !== "path" || mapping.path.length > 0 || mapping.when !== undefined,
  );
}

/**
 * Returns whether the model has an object for the message alone. This is not the case for an empty
 * message, for a message that is represented by the value of a field, and for an alternative of a
 * union.
 */
function isOwnObject(message: WireMessageDef): boolean {
  const isAlternative = message.fields.some(
    ({ mapping }) => mapping.kind === "path" && mapping.when !== undefined,
  );
  return isObject(message) && !isAlternative;
}

/** Returns the lines that set the default of a required field inside another object. */
function fillOf(
  { mapping, type, oneof }: WireFieldDef,
  { wire, models, imports }: CodecFile,
): string[] {
  if (mapping.kind !== "path" || mapping.presence !== "required") return [];
  const { path, when } = mapping;
  const isInside = path.length > 1 && when === undefined && oneof === undefined;
  if (!isInside || models.isNarrow(type, mapping.type)) return [];
  const zero = defaultOf(type, wire);
  if (zero === undefined) return [];
  const call = `${imports.namespace(runtimeNamespaces.place)}.fill(`;
  const keys = `[${path.map(quote).join(", ")}]`;
  return enclose(call, ["value", keys, zero], ");").map(indent);
}

/** Lines of a declaration. */
interface Constant {
  readonly lines: readonly string[];
}

/** Returns the tables that list the members of each oneof, unless the members belong to a union. */
function oneofTables({ name, oneofs, fields }: WireMessageDef, names: CodecNames): Constant[] {
  return oneofs.flatMap((oneof) => {
    const paths = memberPaths(fields, oneof.name);
    if (paths === undefined) return [];
    const keys = paths.flatMap((path) => path.at(-1) ?? []);
    const head = `const ${names.members(name, oneof.name)} = [`;
    return [{ lines: enclose(head, keys.map(quote), "] as const;") }];
  });
}

/** Returns the constants for the resource names in the fields of a message. */
export function resourceConstants(
  { name, model, fields }: WireMessageDef,
  { imports, names, models }: Pick<CodecFile, "imports" | "models" | "names">,
): Constant[] {
  return fields.flatMap(({ mapping, jsonName }) => {
    if (mapping.kind !== "resource") return [];
    const make = imports.value(runtime.resourceName);
    const patterns = mapping.patterns.map((pattern) => quote(models.markOptional(model, pattern)));
    const head = `const ${names.resource(name, jsonName)} = /* @__PURE__ */ ${make}(`;
    return [{ lines: enclose(head, patterns, ");") }];
  });
}
