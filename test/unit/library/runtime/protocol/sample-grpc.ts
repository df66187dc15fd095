import { Server, ServerCredentials } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
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
