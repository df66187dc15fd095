import { keywords } from "../../../support/names.js";

/** Words that have a special meaning in TypeScript as names of types or modules. */
const typeWords =
  "any as async asserts bigint boolean declare get infer is keyof module namespace never number " +
  "object of out readonly " +
  "require satisfies set string symbol type undefined unique unknown using";

/**
 * Globals of the language and its platforms. A file that imports a type with such a name could no
 * longer use the global.
 */
const globals =
  "AbortController AbortSignal Array ArrayBuffer AsyncGenerator AsyncIterable AsyncIterator " +
  "Awaited BigInt Boolean Buffer " +
  "DOMException DataView Date Error Exclude Extract Function Generator Headers Intl Iterable " +
  "Iterator JSON Map Math " +
  "NonNullable Number Object Omit Parameters Partial Pick Promise PropertyKey Proxy Readonly " +
  "ReadonlyArray ReadonlyMap " +
  "ReadonlySet ReadableStream Record Reflect RegExp Request Required Response ReturnType Set " +
  "String Symbol TextDecoder " +
  "TextEncoder URL URLSearchParams Uint8Array WeakMap WeakSet console fetch globalThis process";

/** The members that every object inherits. */
const inherited: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/** Names that the output itself declares and exports from its index. */
export const outputNames: readonly string[] = (
  "A2AClient A2AError A2AErrorOptions A2AService Agent AgentOptions AgentsByPath Call " +
  "CallContext CallHandler " +
  "CallHeaders CallOptions CallReply Caller CardCache CardCaller CardOptions CardProblem " +
  "ClientCall " +
  "ClientOperation ClientOptions ClientVersion ConnectOptions ContextKey ContextValues " +
  "CoreOptions CorsOptions " +
  "DiscoveryFacts ErrorDetail ErrorRow Fetch FetchCardOptions FetchHandler ForwardedAddress " +
  "GrpcStatus " +
  "HttpHandler HttpHandlerOptions HttpOptions Interceptor Issue JsonObject JsonRpcError " +
  "JsonRpcOptions " +
  "JsonValue Operation Outcome Peer ProtocolFacts Rate RateLimiter RateOptions ReceivedCall " +
  "RequestReport " +
  "RestOptions Schema ServedVersion ServerCall ServerExtension ServerInterceptor ServiceFactory " +
  "ServiceHost " +
  "Transport TransportError TransportFactory Validation ValidationError callHandler cardProblems " +
  "clientErrors " +
  "connect createAgent createContextKey discovery fromJsonRpcError errors fetchCard fetchHandler " +
  "fieldViolations " +
  "httpHandler wasNotSent jsonRpc toJsonRpcError jsonRpcTransport parse protocol rest restTransport"
).split(" ");

/** Names that `errors.ts` exports if the services of the output are not agents. */
const serviceErrorNames: readonly string[] = (
  "ErrorDetail ErrorDetails ErrorRow GrpcStatus RpcError RpcErrorOptions clientErrors errorDetail " +
  "errorDetailsOf errors"
).split(" ");

/** Names with a meaning in the language or on its platforms. */
export const languageNames: ReadonlySet<string> = new Set([
  ...keywords,
  ...typeWords.split(" "),
  ...globals.split(" "),
  ...inherited,
]);

/**
 * Names that exported declarations of a specification must not have. A declaration with such a name
 * gets a trailing underscore.
 */
export const reservedNames: ReadonlySet<string> = new Set([...languageNames, ...outputNames]);

/** Names that errors and services of a specification without agents must not have. */
export const reservedServiceNames: ReadonlySet<string> = new Set([
  ...reservedNames,
  ...serviceErrorNames,
  ..."ServedService ServiceFacts ServiceOptions Services".split(" "),
]);

/**
 * Names that types of a specification without agents must not have. The other exports of the output
 * give way to them, because many protos have messages such as `Operation`.
 */
export const reservedTypeNames: ReadonlySet<string> = new Set([
  ...languageNames,
  ...serviceErrorNames,
]);

/** Names that `protojson.ts` declares in addition to the names of messages and enums. */
export const reservedJsonNames: ReadonlySet<string> = new Set([
  "fromProtoJson",
  "restJson",
  "toProtoJson",
]);

/**
 * Names that methods must not have: members that every object inherits, members that make an object
 * a promise, members of the client, and other declarations of `operations.ts` and
 * `client/calls.ts`.
 */
export const reservedMethods: ReadonlySet<string> = new Set([
  ...inherited,
  ..."card close discovery isClosed operations protocol then version".split(" "),
]);
