import { errorOf } from "../../kit/thrown.js";
import type { Listen } from "../log/notifications.js";
import { nameOfProcess } from "../log/watchers.js";
import type { Connection } from "./clients.js";
import { newCall } from "./calls.js";
import { keysVersion, scriptOf, type ScriptParts } from "./scripts/common.js";

/** Reply of a script: strings, lists, and `null` for absent values. */
export type Reply = string | null | readonly Reply[];

/** Runs scripts on the server or the cluster node that stores the keys. */
export class Engine {
  readonly #connection: Connection;
  readonly #key: string;
  /** Name of this process, by which a task lists the processes that watch it. */
  readonly process: string = nameOfProcess();
  readonly #channel: string;
  readonly #scripts = new Map<string | ScriptParts, Promise<Script>>();
  /**
   * Prefix of the tags of this store's calls. It is random, because several stores may share a
   * client.
   */
  readonly #tags = `${newCall().slice(0, 8)}:`;
  #calls = 0;
  #isReconnecting = false;

  /**
   * Creates an engine for one prefix of keys.
   * @throws A `TypeError` if the prefix is empty or contains braces.
   */
  constructor(connection: Connection, prefix: string) {
    if (prefix === "" || /[{}]/.test(prefix))
      throw new TypeError(`The prefix must not be empty or contain braces, got "${prefix}"`);
    this.#connection = connection;
    // All keys begin with this key. A cluster only hashes the part in braces, so one node stores
    // all keys.
    this.#key = `{${prefix}}`;
    this.#channel = `${this.#key}:changes`;
  }

  /**
   * Function that subscribes to the channels on which scripts publish changes: the channel of all
   * processes, and the channel of this process.
   */
  get listen(): Listen {
    return this.#connection.listenTo([this.#channel, `${this.#channel}:${this.process}`]);
  }

  /**
   * Runs a script, and returns its reply.
   * @throws An `Error`, which explains what to do if the cause is known.
   */
  async run(script: string | ScriptParts, values: readonly (string | number)[]): Promise<Reply> {
    const tag = this.#tags + (this.#calls += 1).toString(36);
    const args = [this.#channel, tag, ...values.map(String)];
    try {
      return this.#untagged(replyOf(await this.#run(await this.#scriptOf(script), args)), tag);
    } catch (error) {
      throw explained(error);
    }
  }

  /**
   * Returns the reply of a script without the tag of its call. Clients match replies to calls only
   * by their order. If a proxy or a bug in the client dropped a response, each call would get the
   * reply to the next call, which contains data of another task. A new connection restores the
   * order.
   * @throws An `Error` if the tag belongs to another call.
   */
  #untagged(tagged: Reply, tag: string): Reply {
    const [tagOfCall, reply = null] = Array.isArray(tagged) ? (tagged as readonly Reply[]) : [];
    if (tagOfCall === tag) return reply;
    // Other replies that arrived together with this reply also belong to the wrong calls, but must
    // not cause another reconnect.
    if (!this.#isReconnecting) {
      this.#isReconnecting = true;
      void this.#connection.reconnect().then(() => {
        this.#isReconnecting = false;
      });
    }
    throw new Error(
      "Redis: the reply belongs to another call, because a response was lost: the client " +
        "reconnects",
    );
  }

  async #run({ sha, source }: Script, args: string[]): Promise<unknown> {
    try {
      return await this.#connection.runKnown(sha, this.#key, args);
    } catch (error) {
      // The server has not cached the script yet, or has lost its cache, for example because of a
      // restart.
      if (!errorOf(error).message.startsWith("NOSCRIPT")) throw error;
      return this.#connection.run(source, this.#key, args);
    }
  }

  #scriptOf(parts: string | ScriptParts): Promise<Script> {
    const known = this.#scripts.get(parts);
    if (known !== undefined) return known;
    const source = scriptOf(parts);
    const script = sha1Of(source).then((sha) => ({ sha, source }));
    this.#scripts.set(parts, script);
    return script;
  }
}

interface Script {
  readonly source: string;
  /** Hash that identifies the script on the server. */
  readonly sha: string;
}

/** Returns an argument that scripts read with `opt`. */
export function optional(value: string | number | undefined | null): string {
  return value === undefined || value === null ? "" : `+${String(value)}`;
}

async function sha1Of(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Normalizes a reply, because clients can be configured to return numbers as strings, and strings
 * as bytes.
 */
function replyOf(value: unknown): Reply {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(replyOf);
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

/** Patterns of server errors, with an explanation for each pattern. */
const meanings: readonly { readonly pattern: RegExp; readonly meaning: string }[] = [
  {
    pattern: /\bREADONLY\b/,
    meaning: "The server is a read-only replica: connect the client to its primary",
  },
  {
    pattern: /\b(?:NOAUTH|WRONGPASS)\b/,
    meaning: "The server refused the credentials of the client",
  },
  {
    pattern: /\bNOPERM\b/,
    meaning:
      "The user of the client requires permissions for EVALSHA, EVAL, the commands of the " +
      "scripts, the keys and the channels",
  },
  {
    pattern: /unknown (?:redis )?command|invalid stream id|syntax error/i,
    meaning: "The server is too old: the store requires Redis 6.2 or later",
  },
];

/** Returns an error that explains what to do, if its cause is known. */
export function explained(thrown: unknown): Error {
  const error = errorOf(thrown);
  const meaning =
    meaningOfVersion(error.message) ??
    meanings.find(({ pattern }) => pattern.test(error.message))?.meaning;
  if (meaning === undefined) return error;
  return new Error(`${meaning} (${error.message})`, { cause: error });
}

/** Explains the error that scripts return for keys of an unsupported version. */
function meaningOfVersion(message: string): string | undefined {
  const version = /\bA2AVERSION (\S+)/.exec(message)?.[1];
  if (version === undefined) return undefined;
  const hint = Number(version) > keysVersion ? "update the store" : "use another prefix";
  const supported = String(keysVersion);
  return `The keys have version ${version}, but this store supports version ${supported}: ${hint}`;
}
