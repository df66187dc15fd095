import {
  A2AError,
  type ErrorClass,
  type ErrorRow,
  type ErrorTable,
} from "../../../templates/runtime/protocol/error.js";
import { errorWriter } from "../../../templates/runtime/protocol/error-plain.js";
import { message, NullSchema, optional, required } from "../../../templates/runtime/schema/message.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../../../templates/runtime/protocol/operation.js";
import { Core, type CoreParts } from "../../../templates/runtime/server/core.js";
import { lazy, list, string } from "../../../templates/runtime/schema/types.js";

/** A small protocol about letters, in the style of versions before 1.0. */
export interface Letter {
  id: string;
  pages?: string[];
}

function errorClass(reason: string, jsonRpc: number | undefined, http: number, grpc: ErrorRow["grpc"]): ErrorClass {
  const row: ErrorRow = { reason, http, grpc, ...(jsonRpc === undefined ? {} : { jsonRpc }) };
  return class extends A2AError {
    static override readonly row = row;
  };
}

export const LetterNotFound = errorClass("LETTER_NOT_FOUND", -32001, 404, "NOT_FOUND");
export const LetterSealed = errorClass("LETTER_SEALED", -32002, 400, "FAILED_PRECONDITION");

const roles = {
  parse: errorClass("PARSE", -32700, 400, "INVALID_ARGUMENT"),
  invalidRequest: errorClass("INVALID_REQUEST", -32600, 400, "INVALID_ARGUMENT"),
  methodNotFound: errorClass("METHOD_NOT_FOUND", -32601, 501, "UNIMPLEMENTED"),
  invalidParams: errorClass("INVALID_PARAMS", -32602, 400, "INVALID_ARGUMENT"),
  internal: errorClass("INTERNAL", -32603, 500, "INTERNAL"),
  unauthenticated: errorClass("UNAUTHENTICATED", undefined, 401, "UNAUTHENTICATED"),
  permissionDenied: errorClass("PERMISSION_DENIED", undefined, 403, "PERMISSION_DENIED"),
  unsupported: errorClass("UNSUPPORTED_OPERATION", -32004, 400, "UNIMPLEMENTED"),
  contentType: errorClass("CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, "INVALID_ARGUMENT"),
  invalidResponse: errorClass("INVALID_RESPONSE", -32006, 500, "INTERNAL"),
};

/** Errors without the ones for versions and extensions, which older versions do not know. */
export const errors: ErrorTable & typeof roles = {
  domain: "letters.example",
  classes: [LetterNotFound, LetterSealed, ...Object.values(roles)],
  ...roles,
};

const LetterSchema = message<Letter>("Letter", () => ({ id: required(string), pages: optional(list(string)) }));

interface PostRequest {
  letter: Letter;
}

const PostRequestSchema = message<PostRequest>("PostRequest", () => ({
  letter: required(lazy("Letter", () => LetterSchema)),
}));

interface LetterRequest {
  id: string;
  reply?: Letter;
}

const LetterRequestSchema = message<LetterRequest>("LetterRequest", () => ({
  id: required(string),
  reply: optional(lazy("Letter", () => LetterSchema)),
}));

/** Operations without gRPC, as a version without a proto has them, but for the first one. */
export const operations = {
  post: {
    name: "Post",
    method: "post",
    streaming: "none",
    request: PostRequestSchema,
    response: LetterSchema,
    jsonRpc: "letters/post",
    http: [{ method: "POST", path: "/v1/letters", body: "*" }],
    grpc: "/letters.Letters/Post",
    nonEmpty: [["letter", "pages"]],
  },
  follow: {
    name: "Follow",
    method: "follow",
    streaming: "server",
    request: LetterRequestSchema,
    response: LetterSchema,
    jsonRpc: "letters/follow",
    http: [{ method: "GET", path: "/v1/letters/{id}:follow" }],
    nonEmpty: [["reply", "pages"]],
  },
  burn: {
    name: "Burn",
    method: "burn",
    streaming: "none",
    request: LetterRequestSchema,
    response: NullSchema,
    jsonRpc: "letters/burn",
    http: [{ method: "DELETE", path: "/v1/letters/{id}" }],
  },
} as const satisfies Record<string, Operation>;

/** The facts of a version that tells errors of streaming calls as ordinary responses. */
export const ordinary: ProtocolFacts = {
  version: "0.3",
  assumedVersion: "0.3",
  headers: { version: "Letters-Version", extensions: "X-Letters-Extensions" },
  mediaTypes: { http: "application/json", accept: ["application/json"] },
  bindings: { jsonRpc: "JSONRPC", http: "HTTP+JSON", grpc: "GRPC" },
};

/** The facts of one that tells them as events. */
export const protocol: ProtocolFacts = { ...ordinary, streamErrors: "event" };

/** Cards that name one interface themselves and may list more of them, and that know no extensions. */
export const discovery: DiscoveryFacts = {
  path: "/.well-known/letters.json",
  interfaces: {
    main: { url: "url", binding: "preferred", defaultBinding: "JSONRPC" },
    list: "others",
    url: "url",
    binding: "transport",
  },
};

export interface LetterService {
  post?(request: PostRequest): unknown;
  follow?(request: LetterRequest): unknown;
  burn?(request: LetterRequest): unknown;
}

/** A core over the sample protocol. */
export function olderCore(service: LetterService, parts: Partial<CoreParts> = {}): Core {
  return new Core({
    protocol,
    discovery,
    operations: Object.values(operations),
    errors,
    errorWriter,
    card: { name: "Letters" },
    service,
    ...parts,
    options: { onError: () => undefined, ...parts.options },
  });
}
