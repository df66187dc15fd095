import type { Protocol, WireMessageDef } from "../../../generator/protocol/model/types.js";
import { derivedSchema } from "../../oracle/ajv.js";
import { keysOf, ProtoValues } from "../../oracle/proto-values.js";
import type { Random } from "../../oracle/random.js";
import { definitionsOf, SchemaDocuments } from "../../oracle/schema-documents.js";
import { bundled, fromFile, type Subject } from "../../oracle/subjects.js";

/** What is attacked: both bundled versions that people use, and a proto with everything there is. */
export const subjects: readonly Subject[] = [
  bundled("1.0"),
  bundled("0.3.0"),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
];

/** Random values of the types of a specification, most of them valid. */
export interface Values {
  /** The names that its objects have. */
  readonly keys: readonly string[];
  readonly of: (type: string, random: Random) => unknown;
}

/** Random values of the types of a subject, by their names in TypeScript. */
export function valuesOf({ protocol }: Subject): Values {
  if (protocol.wire?.isProtoJson === true) {
    const values = new ProtoValues(protocol);
    return { keys: keysOf(protocol), of: (type, random) => values.of(type, random) };
  }
  const documents = new SchemaDocuments(definitionsOf(derivedSchema(protocol)));
  return { keys: documents.keys, of: (type, random) => documents.of(type, random) };
}

/** The messages of a protocol that carry a named type. */
export function messagesOf({ wire }: Protocol): { readonly name: string; readonly model: string }[] {
  const named = ({ name, model }: WireMessageDef) => ("name" in model ? [{ name, model: model.name }] : []);
  return (wire?.messages ?? []).flatMap(named);
}
