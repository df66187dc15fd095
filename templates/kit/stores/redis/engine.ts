import { errorOf } from "../../thrown.js";
import type { Listen } from "../log/notifications.js";
import type { Connection } from "./clients.js";
import { newCall } from "./calls.js";
import { keysVersion, scriptOf } from "./scripts/common.js";

/** What a script replies: texts, lists, and `null` for nothing. */
export type Reply = string | null | readonly Reply[];

/** A server, or the node of a cluster, that has the keys of a store. */
export class Engine {
  readonly #connection: Connection;
  readonly #key: string;
  readonly #channel: string;
  readonly #scripts = new Map<string, Promise<Script>>();
  /** Begins the tags of this store's calls, as several stores may share a client. */
  readonly #tags = `${newCall().slice(0, 8)}:`;
  #calls = 0;
  #isReconnecting = false;

  /** Throws a `TypeError` for a prefix that is empty or has braces. */
  constructor(connection: Connection, prefix: string) {
    if (prefix === "" || /[{}]/.test(prefix)) throw new TypeError(`"${prefix}" is no prefix: it has to have no braces`);
    this.#connection = connection;
    // All keys begin with this one. What is in the braces says which node of a cluster has them.
    this.#key = `{${prefix}}`;
    this.#channel = `${this.#key}:changes`;
  }

  /** Listens to what scripts publish. */
  get listen(): Listen {
    return this.#connection.listenTo(this.#channel);
  }

  /** Runs a script. Rejects with an `Error` that says what to do about it, where that is known. */
  async run(script: string, values: readonly (string | number)[]): Promise<Reply> {
    const tag = this.#tags + (this.#calls += 1).toString(36);
    const args = [this.#channel, tag, ...values.map(String)];
    try {
      return this.#own(replyOf(await this.#run(await this.#scriptOf(script), args)), tag);
    } catch (error) {
      throw explained(error);
    }
  }

  /**
   * Returns what a script replies behind the tag of its call. Clients match replies with calls by their order alone: after
   * a response that a proxy or a fault of the client has dropped, each call would get the reply of the next one, and so
   * the data of another task. A new connection begins a new order.
   */
  #own(reply: Reply, tag: string): Reply {
    const [from, own = null] = Array.isArray(reply) ? (reply as readonly Reply[]) : [];
    if (from === tag) return own;
    // Replies that were read together with this one are of other calls, too.
    if (!this.#isReconnecting) {
      this.#isReconnecting = true;
      void this.#connection.reconnect().then(() => {
        this.#isReconnecting = false;
      });
    }
    throw new Error("Redis: the reply is of another call, so a response was lost: the client connects again");
  }

  async #run({ sha, source }: Script, args: string[]): Promise<unknown> {
    try {
      return await this.#connection.runKnown(sha, this.#key, args);
    } catch (error) {
      if (!errorOf(error).message.startsWith("NOSCRIPT")) throw error;
      return this.#connection.run(source, this.#key, args);
    }
  }

  #scriptOf(body: string): Promise<Script> {
    const known = this.#scripts.get(body);
    if (known !== undefined) return known;
    const source = scriptOf(body);
    const script = sha1Of(source).then((sha) => ({ sha, source }));
    this.#scripts.set(body, script);
    return script;
  }
}

interface Script {
  readonly source: string;
  /** What the server knows it by. */
  readonly sha: string;
}

/** Returns what a script reads with `opt`. */
export function optional(value: string | number | undefined | null): string {
  return value === undefined || value === null ? "" : `+${String(value)}`;
}

async function sha1Of(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Clients can be told to return numbers as texts, and texts as bytes. */
function replyOf(value: unknown): Reply {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(replyOf);
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

/** What servers say, and what that means. */
const meanings: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/\bREADONLY\b/, "The server is a replica, which only reads: connect the client to its primary"],
  [/\b(?:NOAUTH|WRONGPASS)\b/, "The server refuses the credentials of the client"],
  [/\bNOPERM\b/, "The user of the client may not do this: it needs EVALSHA, EVAL, what they call, keys and channel"],
  [/unknown (?:redis )?command|invalid stream id|syntax error/i, "The server is too old: the store needs Redis 6.2"],
];

function explained(thrown: unknown): Error {
  const error = errorOf(thrown);
  const [, version = ""] = /\bA2AVERSION (\S+)/.exec(error.message) ?? [];
  const meaning = version
    ? `The keys are of version ${version}, and this store knows version ${String(keysVersion)}: ${Number(version) > keysVersion ? "update it" : "use another prefix"}`
    : meanings.find(([pattern]) => pattern.test(error.message))?.[1];
  return meaning === undefined ? error : new Error(`${meaning} (${error.message})`, { cause: error });
}
