import type { Protocol } from "../../protocol/model/types.js";
import { output } from "../../emit/output-modules.js";
import { runtime, type ErrorFunctions } from "../../emit/runtime-modules.js";
import type { SymbolRef, ValueRef } from "../../emit/symbols.js";

/**
 * A transport of the protocol. Targets, client, server, adapters and reports go by this table: a further transport is a
 * row in it, with the templates `client/<name>` and `versions/<name>` and with its modules of the runtime.
 */
export interface Transport {
  /** The name of its target, of its file in `client/`, and of its file in an adapter. */
  readonly name: string;
  readonly summary: string;
  /** Further targets that it imports. */
  readonly needs: readonly string[];
  /** The form of values on it: that of the model, ProtoJSON, or the bytes of protobuf. */
  readonly carries: "model" | "protojson" | "bytes";
  /** What only a proto defines for it, for the report if there is no proto. */
  readonly defined: string;
  readonly client: ClientTransport;
  /** Its handler in the server; absent if it is not part of the HTTP server, and the client does not try it unasked. */
  readonly http?: HttpServer;
}

/** The file of a transport in `client/`, and in an adapter. */
interface ClientTransport {
  readonly factory: ValueRef;
  readonly transport: ValueRef;
  /** A type for its options that the file declares. */
  readonly declares?: SymbolRef;
  /** The function of the runtime that makes the transport, and the type of its options. */
  readonly create: ValueRef;
  readonly options: SymbolRef;
  readonly readError: keyof ErrorFunctions;
  readonly errors: ValueRef;
  /** The other tables that it uses. Adapters have those that are not in `client/`. */
  readonly tables: readonly ValueRef[];
}

/** The handler of a transport over HTTP, and its options in `HttpHandlerOptions`. */
interface HttpServer {
  readonly handler: ValueRef;
  readonly options: SymbolRef;
  readonly key: string;
  readonly what: string;
}

/** Every transport, in the order in which clients prefer them. */
export const transports: readonly Transport[] = [
  {
    name: "jsonrpc",
    summary: "the JSON-RPC transport of client and server",
    needs: [],
    carries: "model",
    defined: "nothing",
    client: {
      factory: output.jsonRpc,
      transport: output.jsonRpcTransport,
      create: runtime.createJsonRpcTransport,
      options: runtime.HttpOptions,
      readError: "readJsonRpcError",
      errors: output.clientErrors,
      tables: [output.clientProtocol],
    },
    http: {
      handler: runtime.jsonRpcHandler,
      options: runtime.JsonRpcOptions,
      key: "jsonRpc",
      what: "the JSON-RPC endpoint",
    },
  },
  {
    name: "rest",
    summary: "the HTTP+JSON transport of client and server",
    needs: [],
    carries: "protojson",
    defined: "which routes HTTP+JSON has",
    client: {
      factory: output.rest,
      transport: output.restTransport,
      create: runtime.createRestTransport,
      options: runtime.HttpOptions,
      readError: "readHttpError",
      errors: output.errors,
      tables: [output.operations, output.protocol],
    },
    http: {
      handler: runtime.restHandler,
      options: runtime.RestOptions,
      key: "rest",
      what: "the HTTP+JSON routes",
    },
  },
  {
    name: "grpc",
    summary: "the gRPC transport of client and server (imports @grpc/grpc-js)",
    needs: ["protobuf"],
    carries: "bytes",
    defined: "how gRPC carries anything",
    client: {
      factory: output.grpc,
      transport: output.grpcTransport,
      declares: output.GrpcOptions,
      create: runtime.createGrpcTransport,
      options: runtime.GrpcTransportOptions,
      readError: "readGrpcError",
      errors: output.errors,
      tables: [output.codecs, output.operations, output.protocol],
    },
  },
];

/** A transport with a handler in the HTTP server. */
export type HttpTransport = Transport & Required<Pick<Transport, "http">>;

/** Returns the transports among some targets that a version defines. */
export function servedTransports(protocol: Protocol, targets: ReadonlySet<string>): Transport[] {
  return transports.filter((transport) => targets.has(transport.name) && isDefined(transport, protocol));
}

/** Returns the transports of {@link servedTransports} that the HTTP server handles, which need no package. */
export function servedOverHttp(protocol: Protocol, targets: ReadonlySet<string>): HttpTransport[] {
  return servedTransports(protocol, targets).flatMap(({ http, ...rest }) =>
    http === undefined ? [] : [{ ...rest, http }],
  );
}

/** Returns whether a version has what a transport needs. */
export function isDefined({ carries }: Transport, { operations, wire }: Protocol): boolean {
  const hasRoutes = operations.some(({ http }) => http.length > 0);
  return carries === "model" || wire !== undefined || (carries === "protojson" && hasRoutes);
}

/** Returns whether a transport converts between the JSON of the model and ProtoJSON. */
export function isMapped({ carries }: Transport, { wire }: Protocol): boolean {
  return carries === "protojson" && wire?.isProtoJson === false;
}
