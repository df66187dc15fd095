import type { Diagnostics, Place } from "../../support/diagnostics.js";
import { keywords, pascalCase } from "../../support/names.js";
import type { OperationDef, Protocol } from "../model/types.js";

/** Words that cannot name a type, and globals that emitted code or its readers rely on. */
const reserved = new Set([
  ...keywords,
  ...(
    "any as async asserts bigint boolean constructor declare get infer is keyof module namespace never number object of out " +
    "readonly require satisfies set string symbol type unique unknown using " +
    "Array ArrayBuffer AsyncGenerator AsyncIterable AsyncIterator AbortController AbortSignal BigInt Boolean DataView Date " +
    "Error Exclude Extract Function Generator Intl Iterable Iterator JSON Map Math Number Object Omit Partial Pick Promise " +
    "Proxy Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Reflect RegExp Request Response Headers Required Set " +
    "String Symbol URL URLSearchParams Uint8Array WeakMap WeakSet ReadableStream TextDecoder TextEncoder NonNullable " +
    "Buffer globalThis process"
  ).split(" "),
]);

/** Names that the files of the output declare or import themselves, besides those of the specification. */
const taken = new Set(
  (
    "A2AClient A2AError A2AErrorOptions A2AService Agent AgentOptions AnyObject Call CallContext CallHeaders CallOptions " +
    "Caller CardCache ClientCore CardOptions ClientOperation ClientOptions Codecs ConnectOptions Core CoreOptions DecodeError " +
    "DiscoveryFacts Empty EmptySchema EncodeError ErrorRow ErrorTable GrpcOptions GrpcService GrpcTransportOptions " +
    "HttpHandler HttpHandlerOptions HttpOptions Interceptor Issue JsonNumber JsonObject JsonRpcOptions JsonValue " +
    "NodeListener NodeOptions Operation OperationCodec ProtocolFacts Registry RestOptions Schema Transport TransportError " +
    "TransportFactory Validation ValidationError accepts issuesOf atMostOne bytes calls cardHandler chain codecs connect " +
    "createAgent createCore createGrpcTransport createJsonRpcTransport createRestTransport depth discover discovery " +
    "emptyCodec end enumeration errors exactlyOne fetchHandler grpc grpcService grpcTransport handler httpHandler implicit " +
    "item jsonRpc jsonRpcHandler jsonRpcTransport key listener message named nodeListener openFirst operations optional " +
    "parse pb protocol readAny readEntry readWrapper reader registry required rest restHandler restTransport service t tag " +
    "validate value wire writeAny writer readJsonRpcError readHttpError readGrpcError errorWriter openMainFirst NullSchema " +
    "nullCodec anyMessage anyTypes MessageTypes m s place protoJson restJson resourceName RestJson fromProtoJson toProtoJson " +
    "LegacyName LegacyOptions AdapterFactory CardCaller ContextKey ContextValues ServerCall ServerInterceptor createContextKey acceptLegacy UnknownFields unknownFields ClientErrors ClientFacts clientErrors isUnsent " +
    "IssueSearch"
  ).split(" "),
);

/** Something that the output declares by name. */
export interface NamedThing {
  readonly name: string;
  /** The name in the source of what it is declared for. */
  readonly fullName: string;
}

/** Reports names that the output could not declare: reserved ones, and two things that would go by one name. */
export function checkNames(
  protocol: Protocol,
  declared: { readonly models: readonly NamedThing[]; readonly locals: readonly NamedThing[] },
  placeOf: (fullName: string) => Place | undefined,
  diagnostics: Diagnostics,
): void {
  const models = new Set(declared.models.map(({ name }) => name));
  for (const { name, fullName } of declared.models) {
    if (isFree(name)) continue;
    const kind = taken.has(name) ? "which the output declares itself" : "which TypeScript or its library uses";
    const remedy = `Rename it, or give it another name in a manifest: names: { ${fullName}: Other${name} }`;
    diagnostics.add(placeOf(fullName), `the type "${fullName}" is called "${name}", ${kind}`, remedy);
  }
  const helpers = [
    ...protocol.types.flatMap((type) => helpersOf(type, ["is", "assert", "validate", "parse", "search"], ["Schema"])),
    ...(protocol.wire?.messages ?? []).flatMap((message) => helpersOf(message, ["encode", "decode", "read", "write"])),
  ];
  for (const { name, fullName } of helpers.filter((helper) => taken.has(helper.name))) {
    const problem = `the type "${fullName}" would declare "${name}", which the output declares itself`;
    diagnostics.add(placeOf(fullName), problem, "Rename it, or give it another name in a manifest");
  }
  const methods = protocol.operations.map((operation) => ({
    name: operation.method,
    fullName: operationName(operation),
  }));
  const clashing = methods.filter(({ name }) => models.has(name));
  checkClashes([...declared.models, ...helpers, ...declared.locals, ...clashing], placeOf, diagnostics);
  checkMethods(protocol, placeOf, diagnostics);
}

/** Tells whether the output can declare a type or class of this name without a clash with its own names. */
export function isFree(name: string): boolean {
  return !reserved.has(name) && !taken.has(name) && /^[A-Za-z_$][\w$]*$/.test(name);
}

function helpersOf(
  { name, fullName }: NamedThing,
  prefixes: readonly string[],
  suffixes: readonly string[] = [],
): NamedThing[] {
  const helpers = [...prefixes.map((prefix) => prefix + name), ...suffixes.map((suffix) => name + suffix)];
  return helpers.map((helper) => ({ name: helper, fullName }));
}

/** Reports two things of one name, each pair once. */
function checkClashes(
  things: readonly NamedThing[],
  placeOf: (fullName: string) => Place | undefined,
  diagnostics: Diagnostics,
): void {
  const owners = new Map<string, string>();
  const reported = new Set<string>();
  for (const { name, fullName } of things) {
    const earlier = owners.get(name);
    owners.set(name, fullName);
    const pair = `${fullName} and ${earlier}`;
    if (earlier === undefined || reported.has(pair)) continue;
    reported.add(pair);
    const remedy = 'Rename one of them, or give it another name under "names" in a manifest';
    diagnostics.add(placeOf(fullName), `${pair} would both declare "${name}" in TypeScript`, remedy);
  }
}

/** The full name of the rpc, or what the schema calls the operation. */
function operationName({ rpc, name }: OperationDef): string {
  return rpc === undefined ? name : `${rpc.service}.${name}`;
}

/** Names that the client has or must not have, and those that the operation table declares besides the operations. */
const clientMembers = new Set(["close", "then", "protocol", "operations", "discovery", "calls"]);

function checkMethods(
  { operations }: Protocol,
  placeOf: (fullName: string) => Place | undefined,
  diagnostics: Diagnostics,
): void {
  const methods = new Map<string, OperationDef>();
  for (const operation of operations) {
    const { method, name } = operation;
    const fullName = operationName(operation);
    const earlier = methods.get(method);
    methods.set(method, operation);
    const manifest = `give it another method in a manifest: operations: { ${name}: { method: other${pascalCase(name)} } }`;
    if (earlier !== undefined) {
      const problem = `${fullName} and ${operationName(earlier)} are both called "${method}" in TypeScript`;
      // A manifest knows operations by their names, and cannot tell these apart where they are the same.
      const remedy = earlier.name === name ? "Rename one of the rpcs" : `Rename one of the rpcs, or ${manifest}`;
      diagnostics.add(placeOf(fullName), problem, remedy);
    } else if (clientMembers.has(method) || method in Object.prototype || keywords.has(method)) {
      const problem = `${fullName} is called "${method}" in TypeScript, where that name is taken`;
      diagnostics.add(placeOf(fullName), problem, `Rename the rpc, or ${manifest}`);
    }
  }
}
