import { Server, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { grpcMethods } from "../../../../../library/runtime/bindings/http2/server-methods.js";
import { grpcService } from "../../../../../library/runtime/bindings/grpc/server.js";
import type { WireMethods } from "../../../../../library/runtime/bindings/http2/server-call.js";
import {
  createWireServer,
  type WireServer,
  type WireServerOptions,
} from "../../../../../library/runtime/bindings/http2/server.js";
import type { Core } from "../../../../../library/runtime/server/core.js";
import { portOf } from "../../../../support/ports.js";
import type { Codec, Codecs } from "../../../../../library/runtime/protocol/codec.js";

/** Stands in for protobuf, since the binding does not look into messages: JSON as bytes. */
export const codec: Codec<unknown> = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes): unknown => JSON.parse(Buffer.from(bytes).toString()),
};

/** Returns the codec for every operation. */
export function codecsOf(operations: readonly { readonly name: string }[]): Codecs {
  return Object.fromEntries(
    operations.map(({ name }) => [name, { request: codec, response: codec }]),
  );
}

/**
 * Starts a gRPC server on a free port of the loopback interface, which stops with the test. Returns
 * its address.
 */
export async function listen(register: (server: Server) => void): Promise<string> {
  const server = new Server();
  register(server);
  const port = await new Promise<number>((resolve, reject) => {
    const done = (error: Error | null, bound: number) =>
      error === null ? resolve(bound) : reject(error);
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), done);
  });
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

/** Starts the own server on a free port of the loopback interface, which stops with the test. */
export async function listenWire(
  methods: WireMethods,
  options: WireServerOptions = {},
  listener: RequestListener = (_, response) => void response.writeHead(404).end(),
): Promise<{ readonly server: WireServer; readonly port: number; readonly address: string }> {
  const server = createWireServer(methods, listener, options);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  const port = portOf(server);
  return { server, port, address: `127.0.0.1:${port}` };
}

/** The servers for gRPC. Each starts a server for a core, and returns its address. */
export const grpcServers: readonly (readonly [
  name: string,
  serve: (core: Core, codecs: Codecs) => Promise<string>,
])[] = [
  [
    "@grpc/grpc-js",
    (core, codecs) => {
      const { definition, implementation } = grpcService(core, codecs);
      return listen((server) => server.addService(definition, implementation));
    },
  ],
  ["node:http2", async (core, codecs) => (await listenWire(grpcMethods(core, codecs))).address],
];
