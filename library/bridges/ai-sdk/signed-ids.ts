import type { AskOptions } from "../../client/answer.js";
import type { Key } from "../../kit/signatures/jws.js";
import { base64Of, bytesOfBase64 } from "../../runtime/protobuf/base64.js";
import { secretBytes } from "../secrets.js";

/** The ids of a conversation. */
export type ConversationIds = Pick<AskOptions, "contextId" | "taskId">;

/** For whom, and with which secret, the ids of conversations are signed. */
export interface SigningOptions {
  /** The user whose messages the model gets: an id from the session, not from the messages. */
  readonly owner: string;
  /** Secret of at least 32 bytes, the same in all processes. */
  readonly secret: string;
}

const algorithm = { name: "HMAC", hash: "SHA-256" };

/** Signs the ids of conversations, so that a page cannot replace them with the ids of others. */
export class IdSigner {
  readonly #owner: string;
  readonly #secret: Uint8Array<ArrayBuffer>;

  constructor({ owner, secret }: SigningOptions) {
    if (typeof owner !== "string" || owner === "")
      throw new TypeError("sign.owner must be the id of the user: take it from the session");
    this.#owner = owner;
    this.#secret = secretBytes(secret);
  }

  async sign(ids: ConversationIds): Promise<string> {
    const key = await this.#key();
    const signature = await crypto.subtle.sign(algorithm, key, this.#textOf(ids));
    return base64Of(new Uint8Array(signature));
  }

  async isSigned(ids: ConversationIds, signature: unknown): Promise<boolean> {
    if (typeof signature !== "string") return false;
    const key = await this.#key();
    try {
      const bytes = bytesOfBase64(signature).slice();
      return await crypto.subtle.verify(algorithm, key, bytes, this.#textOf(ids));
    } catch {
      return false; // The signature is not base64.
    }
  }

  #key(): Promise<Key> {
    return crypto.subtle.importKey("raw", this.#secret, algorithm, false, ["sign", "verify"]);
  }

  #textOf({ contextId = "", taskId = "" }: ConversationIds): Uint8Array<ArrayBuffer> {
    // The first element separates these signatures from other uses of the secret.
    return new TextEncoder().encode(JSON.stringify(["a2a ids", this.#owner, contextId, taskId]));
  }
}
