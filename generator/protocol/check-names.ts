import type { Diagnostics, Place } from "../diagnostics.js";
import type { Protocol } from "./types.js";

/** Words that cannot name a type in TypeScript, and globals that emitted code or its readers rely on. */
const reserved = new Set(
  (
    "any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum " +
    "export extends false finally for function if implements import in infer instanceof interface is keyof let never new " +
    "null number object out package private protected public readonly return satisfies static string super switch symbol " +
    "this throw true try type typeof undefined unique unknown var void while with yield " +
    "Array ArrayBuffer AsyncGenerator AsyncIterable AsyncIterator AbortController AbortSignal BigInt Boolean DataView Date " +
    "Error Exclude Extract Function Infinity Intl Iterable Iterator JSON Map Math NaN Number Object Omit Partial Pick " +
    "Promise Proxy Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Reflect RegExp Request Response Headers Required " +
    "Set String Symbol URL URLSearchParams Uint8Array WeakMap WeakSet ReadableStream TextDecoder TextEncoder NonNullable " +
    "Buffer globalThis process t wire value depth reader writer message named optional required implicit schema parse " +
    "validate errors operations registry"
  ).split(" "),
);

/** Names that the output declares itself, or that its files import beside the types of the specification. */
const taken = new Set(
  (
    "A2AClient A2AService A2AError A2AErrorOptions CallContext CallOptions DecodeError EncodeError Empty ErrorRow ErrorTable " +
    "Issue JsonNumber JsonObject JsonValue Operation ProtocolFacts Schema Transport TransportError ValidationError Validation " +
    "Registry OperationCodec Codecs"
  ).split(" "),
);

/** Reports names that the output could not declare: reserved ones, and two things that would go by one name. */
export function checkNames(
  protocol: Protocol,
  models: readonly { readonly name: string; readonly fullName: string }[],
  placeOf: (fullName: string) => Place | undefined,
  diagnostics: Diagnostics,
): void {
  const owners = new Map<string, string>();
  const own = (name: string, fullName: string, what: string): void => {
    const place = placeOf(fullName);
    const earlier = owners.get(name);
    owners.set(name, fullName);
    if (earlier === undefined) return;
    const problem = `${fullName} and ${earlier} would both declare ${what}"${name}" in TypeScript`;
    diagnostics.add(place, problem, 'Rename one of them, or give it another name under "names" in a manifest');
  };
  for (const { name, fullName } of models) {
    if (reserved.has(name) || taken.has(name) || !/^[A-Za-z_$][\w$]*$/.test(name)) {
      const kind = taken.has(name) ? "which the output declares itself" : "which TypeScript or its library uses";
      const remedy = `Rename it, or give it another name in a manifest: names: { ${fullName}: Other${name} }`;
      diagnostics.add(placeOf(fullName), `the type "${fullName}" is called "${name}", ${kind}`, remedy);
    }
    own(name, fullName, "");
  }
  for (const { name, fullName } of protocol.types) {
    for (const helper of [`is${name}`, `assert${name}`, `validate${name}`, `parse${name}`, `${name}Schema`])
      own(helper, fullName, "");
    for (const codec of [`encode${name}`, `decode${name}`, `read${name}`, `write${name}`]) own(codec, fullName, "");
  }
  for (const { name } of protocol.binding?.errors ?? []) own(name, name, "the error ");
  const methods = new Map<string, string>();
  for (const { method, name, service } of protocol.operations) {
    const fullName = `${service}.${name}`;
    const earlier = methods.get(method);
    methods.set(method, fullName);
    const remedy = "Rename one of the rpcs";
    if (earlier !== undefined) {
      diagnostics.add(
        placeOf(fullName),
        `${fullName} and ${earlier} are both called "${method}" in TypeScript`,
        remedy,
      );
    }
    if (["constructor", "close", "protocol", "operations"].includes(method) || reserved.has(method)) {
      diagnostics.add(
        placeOf(fullName),
        `${fullName} is called "${method}", which the client cannot have as a method`,
        remedy,
      );
    }
  }
}
