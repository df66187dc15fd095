import type { Protocol, WireMessageDef } from "../../../generator/protocol/model/types.js";
import { bundled, fromFile, type Subject } from "../../oracle/subjects.js";

/**
 * Targets of the attacks: both bundled versions that are in use, and a proto with every feature.
 */
export const subjects: readonly Subject[] = [
  bundled("1.0"),
  bundled("0.3.0"),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
];

/** The messages of a protocol that carry a named type. */
export function messagesOf({
  wire,
}: Protocol): { readonly name: string; readonly model: string }[] {
  const named = ({ name, model }: WireMessageDef) =>
    "name" in model ? [{ name, model: model.name }] : [];
  return (wire?.messages ?? []).flatMap(named);
}
