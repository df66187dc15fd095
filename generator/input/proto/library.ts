import protobuf from "protobufjs";
import http from "protobufjs/google/api/http.json" with { type: "json" };
import api from "protobufjs/google/protobuf/api.json" with { type: "json" };
import descriptor from "protobufjs/google/protobuf/descriptor.json" with { type: "json" };
import sourceContext from "protobufjs/google/protobuf/source_context.json" with { type: "json" };
import type from "protobufjs/google/protobuf/type.json" with { type: "json" };
import { wellKnownNames } from "./known.js";

const protobufPackage = "google.protobuf";

/**
 * Declares the well-known types that the files do not declare. They are declared without fields,
 * because the readers recognize each type by its name.
 */
export function declareWellKnown(root: protobuf.Root): void {
  const types = namespaceAt(root, protobufPackage);
  for (const name of wellKnownNames) {
    if (types?.get(name) !== null) continue;
    types.add(
      name === "NullValue" ? new protobuf.Enum(name, { NULL_VALUE: 0 }) : new protobuf.Type(name),
    );
  }
}

/**
 * Declares the messages and enums of the files bundled with protobufjs that have no special JSON
 * form.
 */
export function declareLibrary(root: protobuf.Root): void {
  const files = [sourceContext, type, api, descriptor].map(
    (file) => file.nested.google.nested.protobuf.nested,
  );
  for (const nested of files) declareAll(namespaceAt(root, protobufPackage), nested);
  declareAll(namespaceAt(root, "google.api"), http.nested.google.nested.api.nested);
}

/**
 * Returns whether {@link declareWellKnown} and {@link declareLibrary} declare all types of a
 * built-in file. Copies of these files are not read, because they would declare the types again.
 */
export function isLibraryFile(path: string): boolean {
  return path.startsWith("google/protobuf/") || path === "google/api/http.proto";
}

function declareAll(
  namespace: protobuf.NamespaceBase | undefined,
  nested: Readonly<Record<string, protobuf.AnyNestedObject>>,
): void {
  for (const [name, one] of Object.entries(nested))
    if (namespace?.get(name) === null) namespace.addJSON({ [name]: one });
}

/** Returns the namespace of a package; `undefined` if a message has the name of the package. */
function namespaceAt(
  around: protobuf.NamespaceBase,
  path: string,
): protobuf.NamespaceBase | undefined {
  const [first = "", ...rest] = path.split(".");
  const found = around.get(first) ?? around.define(first);
  if (!(found instanceof protobuf.Namespace) || found instanceof protobuf.Type) return undefined;
  return rest.length === 0 ? found : namespaceAt(found, rest.join("."));
}
