import type { Protocol } from "../../protocol/model/types.js";
import { output } from "../../emit/output-modules.js";
import { runtime, type ErrorFunctions } from "../../emit/runtime-modules.js";
import type { SymbolRef, ValueRef } from "../../emit/symbols.js";

/**
 * A transport of the protocol. Targets, client, server, adapters and reports read the table of
 * transports. To add a transport, add a row, the templates `client/<name>` and `versions/<name>`,
 * and its runtime modules.
 */
export interface Transport {
  /** Name of the target, of the file in `client/`, and of the file in an adapter. */
  readonly name: string;
  readonly summary: string;
  /** Other targets that the transport imports. */
  readonly needs: readonly string[];
  /** Form of the values: the JSON of the model, ProtoJSON, or the bytes of protobuf. */
  readonly carries: "model" | "protojson" | "bytes";
  /**
   * Name of the part that only a proto defines, for the message if the specification has no proto.
   */
  readonly defined: string;
  readonly client: ClientTransport;
  /**
   * Handler in the HTTP server. The client only uses a transport without a handler if the user
   * requests it.
   */
  readonly http?: HttpServer;
}

/** File of a transport in `client/` and in an adapter. */
interface ClientTransport {
  readonly factory: ValueRef;
  readonly transport: ValueRef;
  /** Type of the options that the file declares. */
  readonly declares?: SymbolRef;
  /** Functions of the runtime that create the transport, and the type of its options. */
  readonly create: readonly ValueRef[];
  readonly options: SymbolRef;
  readonly readError: keyof ErrorFunctions;
  readonly errors: ValueRef;
  /** An additional function that the file exports, with its imports. */
  readonly helper?: {
    readonly name: SymbolRef;
    readonly value: ValueRef;
    readonly type: SymbolRef;
  };
  /**
   * Other tables that the transport uses. An adapter contains the tables that are not in `client/`.
   */
  readonly tables: readonly ValueRef[];
}

/** Handler of a transport that uses HTTP, and its options in `HttpHandlerOptions`. */
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
      create: [runtime.createJsonRpcTransport, runtime.httpOptionsFor],
      options: runtime.HttpOptions,
      readError: "readJsonRpcError",
      errors: output.clientErrors,
      helper: {
        name: output.fromJsonRpcError,
        value: runtime.jsonRpcError,
        type: runtime.A2AError,
      },
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
    defined: "the HTTP+JSON routes",
    client: {
      factory: output.rest,
      transport: output.restTransport,
      create: [runtime.createRestTransport, runtime.httpOptionsFor],
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
    defined: "the gRPC messages",
    client: {
      factory: output.grpc,
      transport: output.grpcTransport,
      declares: output.GrpcOptions,
      create: [runtime.createGrpcTransport],
      options: runtime.GrpcTransportOptions,
      readError: "readGrpcError",
      errors: output.errors,
      tables: [output.codecs, output.operations, output.protocol],
    },
  },
];

/** Transport with a handler in the HTTP server. */
export type HttpTransport = Transport & Required<Pick<Transport, "http">>;

/** Returns the transports among the targets that the version defines. */
export function servedTransports(protocol: Protocol, targets: ReadonlySet<string>): Transport[] {
  return transports.filter(
    (transport) => targets.has(transport.name) && isDefined(transport, protocol),
  );
}

/**
 * Returns the transports of {@link servedTransports} that the HTTP server handles, which require no
 * package.
 */
export function servedOverHttp(protocol: Protocol, targets: ReadonlySet<string>): HttpTransport[] {
  return servedTransports(protocol, targets).flatMap(({ http, ...rest }) =>
    http === undefined ? [] : [{ ...rest, http }],
  );
}

/** Returns whether a version defines what a transport requires. */
export function isDefined({ carries }: Transport, { operations, wire }: Protocol): boolean {
  const hasRoutes = operations.some(({ http }) => http.length > 0);
  return carries === "model" || wire !== undefined || (carries === "protojson" && hasRoutes);
}

/** Returns whether a transport converts between the JSON of the model and ProtoJSON. */
export function isMapped({ carries }: Transport, { wire }: Protocol): boolean {
  return carries === "protojson" && wire?.isProtoJson === false;
}
