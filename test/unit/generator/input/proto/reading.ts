import { InputError } from "../../../../../support/diagnostics.js";
import { readProtocol } from "../../../../../generator/core/read.js";
import type { SpecSource } from "../../../../../generator/input/source.js";
import type {
  EnumDef,
  FieldDef,
  MessageDef,
  OperationDef,
  Protocol,
} from "../../../../../generator/protocol/model/types.js";
import { sourceOf } from "../../../../support/output.js";

/** The first lines of a proto in the package `p`. */
export const head = 'syntax = "proto3";\npackage p;\n';

/** Reads a proto that starts behind {@link head}, and the files that it imports. */
export function read(proto: string, files: Readonly<Record<string, string>> = {}): Protocol {
  return readSource(sourceOf(head + proto, files));
}

const protocols = new WeakMap<SpecSource, Protocol>();

/** Reads a specification, once. */
export function readSource(source: SpecSource): Protocol {
  const protocol = protocols.get(source) ?? readProtocol(source);
  protocols.set(source, protocol);
  return protocol;
}

/** Error lines of reading; empty if it succeeds. */
export function problemsOf(source: SpecSource): string[] {
  try {
    readSource(source);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.message.split("\n");
    throw error;
  }
}

/** Error lines of inputs, by text: the lines that the user sees. */
export type Cases = Readonly<Record<string, string | readonly string[]>>;

/** A message by its name in TypeScript. */
export function messageOf(protocol: Protocol, name: string): MessageDef {
  const type = protocol.types.find((candidate) => candidate.name === name);
  if (type?.kind !== "message") throw new Error(`Unknown message ${name}`);
  return type;
}

/** An enum by its name in TypeScript. */
export function enumOf(protocol: Protocol, name: string): EnumDef {
  const type = protocol.types.find((candidate) => candidate.name === name);
  if (type?.kind !== "enum") throw new Error(`Unknown enum ${name}`);
  return type;
}

/** A field of a message by its name in the proto. */
export function fieldOf(protocol: Protocol, message: string, name: string): FieldDef {
  const field = messageOf(protocol, message).fields.find(({ proto }) => proto?.name === name);
  if (field === undefined) throw new Error(`Unknown field ${name}`);
  return field;
}

/** An operation by the name of its rpc. */
export function operationOf(protocol: Protocol, name: string): OperationDef {
  const operation = protocol.operations.find((candidate) => candidate.name === name);
  if (operation === undefined) throw new Error(`Unknown rpc ${name}`);
  return operation;
}
