import { join } from "node:path";
import type { GrpcChannelOptions } from "../../../library/runtime/bindings/grpc/types.js";
import type {
  WireServer,
  WireServerOptions,
} from "../../../library/runtime/bindings/http2/server.js";
import type { A2AError, ErrorDetail } from "../../../library/runtime/protocol/error.js";
import type { CallOptions, TransportFactory } from "../../../library/runtime/protocol/transport.js";
import type { CallContext } from "../../../library/runtime/server/context.js";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { packageFolder } from "../../../support/package-folder.js";
import { bundleOutput } from "../../support/bundled-output.js";
import { generateFrom } from "../../support/output.js";
import type { Request, Response } from "./messages.js";

/** A method of the service of the suite. */
type Method<Input, Output> = (request: Input, context: CallContext) => Output;

/** The service of the suite, as the output declares it. */
export interface ConformanceService {
  readonly unary: Method<Request, Promise<Response>>;
  readonly idempotentUnary: Method<Request, Promise<Response>>;
  readonly serverStream: Method<Request, AsyncIterable<Response>>;
  readonly clientStream: Method<AsyncIterable<Request>, Promise<Response>>;
  readonly bidiStream: Method<AsyncIterable<Request>, AsyncIterable<Response>>;
}

type Call<Input, Output> = (request: Input, options: CallOptions) => Output;

/** The client of the service, as the output declares it. */
export interface ConformanceClient {
  readonly unary: Call<Request, Promise<Response>>;
  readonly idempotentUnary: Call<Request, Promise<Response>>;
  readonly unimplemented: Call<Request, Promise<Response>>;
  readonly serverStream: Call<Request, AsyncIterable<Response>>;
  readonly clientStream: Call<AsyncIterable<Request>, Promise<Response>>;
  readonly bidiStream: Call<AsyncIterable<Request>, AsyncIterable<Response>>;
  close(): void;
}

type ErrorClass = new (message?: string, options?: { details?: ErrorDetail[] }) => A2AError;

interface GrpcOptions {
  readonly credentials?: object | undefined;
  readonly channelOptions?: GrpcChannelOptions | undefined;
}

/** The exports of the output that the suite uses. */
export interface Output {
  readonly serveConformance: (options: { service: ConformanceService }) => ServedService;
  readonly createServiceServer: (service: ServedService, options: WireServerOptions) => WireServer;
  readonly connectConformance: (
    url: string,
    options: { transport: TransportFactory },
  ) => ConformanceClient;
  readonly grpc: (options: GrpcOptions) => TransportFactory;
  readonly clientErrors: { readonly classes: readonly ErrorClass[] };
  readonly RpcError: typeof A2AError;
}

/**
 * Writes the output for the protos of the suite into a folder, as one module. Returns the path of
 * the module, whose exports are {@link Output}.
 */
export async function buildOutput(protos: string, folder: string): Promise<string> {
  const path = join(protos, "connectrpc", "conformance", "v1", "service.proto");
  const source = specRegistry(packageFolder).find(path, { protoPaths: [protos] });
  const outfile = join(folder, "output.mjs");
  const modules = ["index", "client/grpc", "server/http2"];
  await bundleOutput(await generateFrom(source), "grpc-conformance-output", modules, outfile);
  return outfile;
}
