import protobuf from "protobufjs";
import type { Diagnostics } from "../../../support/diagnostics.js";
import type { Omission, TypeDef } from "../../protocol/model/types.js";
import { commentText } from "./comments.js";
import { buildEnumValues } from "./enums.js";
import type { TypeHints } from "./hints.js";
import { fullNameOf } from "./parsed-names.js";
import { findWellKnown } from "./known.js";
import { MessageBuilder } from "./messages.js";
import { isDeprecated } from "./options.js";
import type { ProtoFiles } from "./parse.js";
import type { ProtoType } from "./resolve.js";
import { TypeNames } from "./type-names.js";

/** The types of a specification, and the parts that are omitted. */
export interface BuiltTypes {
  readonly types: readonly TypeDef[];
  readonly omissions: readonly Omission[];
}

/** Assigns names to the types of parsed protos. */
export function nameTypes(files: ProtoFiles, hints: TypeHints): TypeNames {
  return new TypeNames(files.types, files.package, hints);
}

/** Builds the types of the intermediate representation from parsed protos. */
export function buildTypes(
  files: ProtoFiles,
  names: TypeNames,
  hints: TypeHints,
  diagnostics: Diagnostics,
): BuiltTypes {
  const builder = new MessageBuilder(files, names, hints, diagnostics);
  const types = files.types.map((type) => buildType(type, names, hints, builder));
  return { types, omissions: builder.omissions };
}

/**
 * Builds the definition of a message or enum. A well-known message becomes an alias for its JSON
 * type.
 */
function buildType(
  type: ProtoType,
  names: TypeNames,
  hints: TypeHints,
  builder: MessageBuilder,
): TypeDef {
  const named = {
    name: names.of(type),
    fullName: fullNameOf(type),
    docs: commentText(type.comment),
    deprecated: isDeprecated(type.options),
  };
  if (type instanceof protobuf.Enum)
    return { kind: "enum", ...named, values: buildEnumValues(type, hints) };
  const known = findWellKnown(named.fullName);
  const isEmpty = known?.kind === "wellKnown" && known.wellKnown === "Empty";
  if (known !== undefined && !isEmpty) return { kind: "alias", ...named, type: known };
  return { kind: "message", ...named, ...builder.members(type) };
}
