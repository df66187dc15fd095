import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { Writer } from "protobufjs/minimal.js";

/** Response of gRPC to one call: the bytes or the error status. */
export interface GrpcAnswer {
  readonly bytes?: Buffer;
  readonly code?: number;
  readonly details?: string;
  readonly metadata: Metadata;
}

/**
 * Sends bytes to a method by its path, for example `/a2a.v1.A2AService/GetTask`, and waits for the
 * answer.
 */
export async function callGrpc(
  address: string,
  path: string,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<GrpcAnswer> {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const same = (buffer: Buffer) => buffer;
  const initial = new Metadata();
  const answer = await new Promise<GrpcAnswer>((resolve) => {
    const done = (error: ServiceError | null, response?: Buffer) =>
      resolve(
        error === null
          ? { ...(response && { bytes: response }), metadata: initial }
          : { code: error.code, details: error.details, metadata: initial },
      );
    client
      .makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, done)
      .on("metadata", (received) => initial.merge(received));
  });
  client.close();
  return answer;
}

/** The bytes of a message, as `write` writes its fields. */
export function bytesOf(write: (writer: Writer) => unknown): Uint8Array {
  const writer = new Writer();
  write(writer);
  return writer.finish();
}

/** The tag of a field that holds a text or a message. */
export function long(field: number): number {
  return (field << 3) | 2;
}
