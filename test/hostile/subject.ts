import type { RequestListener, ServerOptions } from "node:http";
import type { A2AClient, A2AError, Transport, TransportError } from "../../generated/1.0/index.js";
import type { FetchHandler } from "../../library/runtime/http/adapters/fetch.js";
import type { NodeOptions } from "../../library/runtime/http/adapters/node.js";
import type { WireServer } from "../../library/runtime/bindings/http2/server.js";
import type { GrpcService } from "../../library/runtime/bindings/grpc/server.js";
import type { CoreOptions, A2AService } from "../../generated/1.0/server/index.js";
import type { GrpcReply } from "./wire.js";

/** Methods of a service. A method that is `undefined` is missing. */
export type Methods = { readonly [K in keyof A2AService]: unknown };

/** Options of the agent that tests can change. */
export interface TestAgentOptions {
  readonly agent?: CoreOptions & { readonly card?: unknown };
  /** Limits of both HTTP bindings. */
  readonly limits?: { readonly maxBodyBytes?: number; readonly keepAliveMs?: number };
  readonly cors?: true;
  /** Options for HTTP, and for a server of all transports. */
  readonly node?: NodeOptions & { readonly requestTimeoutMs?: number };
  readonly http?: ServerOptions;
}

/** An agent that is not on a port yet. JSON-RPC is on `/rpc`, HTTP+JSON on `/`. */
export interface Served {
  readonly listener: RequestListener;
  readonly fetch: FetchHandler;
  readonly grpc: GrpcService;
  /** Creates the server for all transports, with the listener for HTTP and its options. */
  readonly together: (listener: RequestListener, http: ServerOptions) => WireServer;
}

export type Body = Readonly<Record<string, unknown>>;

/** The operations that all versions have, by their names in the newest one, with their routes. */
export const routes = {
  SendMessage: (body: Body) => ({ method: "POST", path: "/message:send", body }),
  SendStreamingMessage: (body: Body) => ({ method: "POST", path: "/message:stream", body }),
  GetTask: (request: Body) => ({ method: "GET", path: taskPath(request) }),
  CancelTask: (body: Body) => ({ method: "POST", path: `${taskPath(body)}:cancel`, body }),
  SubscribeToTask: (request: Body) => ({ method: "GET", path: `${taskPath(request)}:subscribe` }),
  CreateTaskPushNotificationConfig: ({ taskId, ...body }: Body) => ({
    method: "POST",
    path: `/tasks/${String(taskId)}/pushNotificationConfigs`,
    body,
  }),
  GetExtendedAgentCard: () => ({ method: "GET", path: "/card" }),
} satisfies Readonly<Record<string, (request: Body) => Placed>>;

function taskPath({ id = "" }: Body) {
  return `/tasks/${encodeURIComponent(String(id))}`;
}

export type OperationName = keyof typeof routes;

/** A request over HTTP+JSON. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** How an operation is carried. */
export interface Carrier {
  readonly jsonRpc: string;
  /** The name of the gRPC method. */
  readonly grpc: string;
  /** Maps a request of the model to its HTTP+JSON route. */
  readonly place: (request: Body) => Placed;
  /** Brings a response of HTTP+JSON into the model. */
  readonly read: (response: unknown) => unknown;
  readonly encode: (request: Body) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly streams: boolean;
}

/** Content of an error in the format of any version. */
export interface Told {
  readonly message: string;
  /** The name of the error in capitals, such as `TASK_NOT_FOUND`. */
  readonly reason: unknown;
  /** The fields that it complains about. */
  readonly fields: readonly string[];
  /** Additional data of the error. */
  readonly rest: unknown;
}

/** Samples, as the model of the version writes them. */
export interface Samples {
  readonly card: Body;
  /** The card without any capability. */
  readonly bareCard: Body;
  /** A message that every agent takes. */
  readonly message: {
    readonly messageId: string;
    readonly role: string;
    readonly parts: readonly object[];
  };
  readonly textPart: (text: string) => object;
  readonly task: (id: string, metadata?: Body) => Body;
  /** The request that makes a webhook for a task. */
  readonly webhook: Body;
}

/** Responses and events, as a service returns them. */
export interface Answers {
  readonly message: (message: object) => Body;
  readonly task: (task: object) => Body;
  readonly working: Body;
  readonly completed: Body;
  /** An invalid event. */
  readonly invalid: Body;
  readonly artifact: (parts: readonly object[]) => Body;
}

/** The classes of the version that the tests need. */
export interface Classes {
  readonly A2AClient: new (options: { readonly transport: Transport }) => A2AClient;
  readonly A2AError: typeof A2AError;
  readonly TransportError: typeof TransportError;
  readonly TaskNotFoundError: typeof A2AError;
  readonly UnauthenticatedError: typeof A2AError;
  readonly PermissionDeniedError: typeof A2AError;
}

/** Differences between versions of the protocol. */
export interface Traits {
  readonly version: string;
  /** The headers of a good call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Prefix of every route. */
  readonly base: string;
  readonly cardPath: string;
  /** Media types that requests may have. The media type of HTTP+JSON responses is the first. */
  readonly mediaTypes: readonly string[];
  /** The numbers of fields in the protobuf request that sends a message. */
  readonly numbers: { readonly message: number; readonly metadata: number };
  readonly samples: Samples;
  readonly answers: Answers;
  /** The methods for webhooks, which differ most. */
  readonly webhooks: Methods;
  /**
   * Writes the request that sends a message over HTTP+JSON. Other values are returned unchanged.
   */
  readonly write: (request: Body) => unknown;
  /** Reads a response of HTTP+JSON. */
  readonly read: (name: OperationName, response: unknown) => unknown;
  /** Reads the error of a JSON-RPC response. */
  readonly rpcError: (error: Body, status: number) => Told;
  /**
   * Reads the body of an error over HTTP+JSON, or an error event. Returns `undefined` if the value
   * is not an error.
   */
  readonly httpError: (body: unknown, status?: number) => Told | undefined;
  readonly grpcError: (reply: GrpcReply) => Told;
  /** Whether gRPC carries more of an error than its name and message. */
  readonly grpcDetails: boolean;
  /** Whether the errors of a JSON-RPC stream that are known before its first event are an event. */
  readonly errorEvents: boolean;
}

/** A version of the protocol: how to create an agent, call it and read its responses. */
export interface Subject extends Omit<Traits, "write" | "read" | "webhooks" | "cardPath"> {
  /** Name in titles of tests. */
  readonly title: string;
  /** Whether one server serves all transports. */
  readonly isTogether: boolean;
  readonly grpcService: string;
  readonly operations: Readonly<Record<OperationName, Carrier>>;
  readonly classes: Classes;
  readonly transports: Readonly<
    Record<"jsonRpc" | "rest" | "grpc", (url: string, options?: object) => Transport>
  >;
  readonly connect: (url: string) => Promise<unknown>;
  readonly serve: (
    methods: Methods,
    options: TestAgentOptions,
    onError: (error: unknown) => void,
  ) => Served;
}
