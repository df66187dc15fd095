import { Client, credentials, Metadata, compressionAlgorithms } from "@grpc/grpc-js";
import type { Message } from "../../../generated/1.1-draft/models.js";
import { encodeSendMessageRequest } from "../../../generated/1.1-draft/protobuf/calls.js";
import { field } from "../../hostile/bytes.js";
import { userHeader, version } from "./protocol.js";

const path = "/lf.a2a.v1.A2AService/SendMessage";
const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
let count = 0;

/** Returns the bytes of a field as often as the agent is to read it. */
function repeated(bytes: Uint8Array, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes);
}

/** An attacker with a gRPC connection, whose messages are compressed. */
export class GrpcAttacker {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
    });
    this.#metadata.set("a2a-version", version);
    this.#metadata.set(userHeader, "attacker");
  }

  /** Sends a message with a long text. */
  text(text: string): Promise<string> {
    return this.#send([{ text }]);
  }

  /** Sends a message with a number of empty parts. */
  parts(number: number): Promise<string> {
    return this.#send([{ text: "" }], field(1, repeated(field(5, ""), number)));
  }

  /** Sends a message whose metadata contains a list of a number of empty lists. */
  lists(number: number): Promise<string> {
    return this.#metadataOf(field(6, repeated(field(1, field(6, "")), number)));
  }

  /** Sends a message whose metadata contains a number of members. */
  members(number: number): Promise<string> {
    const entries = Array.from({ length: number }, (_, index) =>
      field(1, Buffer.concat([field(1, String(index)), field(2, "")])),
    );
    return this.#metadataOf(field(5, Buffer.concat(entries)));
  }

  #metadataOf(value: Uint8Array): Promise<string> {
    const entry = Buffer.concat([field(1, "k"), field(2, value)]);
    return this.#send([{ text: "" }], field(1, field(6, field(1, entry))));
  }

  #send(
    parts: readonly { readonly text: string }[],
    more: Uint8Array = new Uint8Array(),
  ): Promise<string> {
    const message: Message = {
      messageId: `g${String(process.pid)}-${String((count += 1))}`,
      role: "ROLE_USER",
      parts: [...parts],
    };
    const bytes = Buffer.concat([
      encodeSendMessageRequest({ message, configuration: { returnImmediately: true } }),
      more,
    ]);
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        bytes,
        this.#metadata,
        { deadline: Date.now() + 5_000 },
        (error) => {
          resolve(error === null ? "accepted" : String(error.code));
        },
      );
    });
  }
}
