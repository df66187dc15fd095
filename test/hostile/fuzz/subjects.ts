import type { Protocol, WireMessageDef } from "../../../generator/protocol/model/types.js";
import { bundled, fromFile, type Subject } from "../../oracle/subjects.js";

/** What is attacked: both bundled versions that people use, and a proto with everything there is. */
export const subjects: readonly Subject[] = [
  bundled("1.0"),
  bundled("0.3.0"),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
];

/** The messages of a protocol that carry a named type. */
export function messagesOf({ wire }: Protocol): { readonly name: string; readonly model: string }[] {
  const named = ({ name, model }: WireMessageDef) => ("name" in model ? [{ name, model: model.name }] : []);
  return (wire?.messages ?? []).flatMap(named);
}
