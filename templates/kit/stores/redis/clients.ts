import { quietly } from "../../memory/quietly.js";
import type { Listen } from "../log/notifications.js";

/** What a store needs of a client: one of `ioredis`, or one of `redis`, of a server or of a cluster. */
export type RedisClient = IoRedisClient | NodeRedisClient;

/** A client of `ioredis`. */
export interface IoRedisClient {
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Closes the connection, and opens another one. */
  disconnect?(reconnect?: boolean): void;
  /** Makes a client of the same kind, for notifications. */
  duplicate(): IoRedisSubscriber;
}

export interface IoRedisSubscriber {
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
  on(event: "error" | "ready" | "end", listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** A client of `redis`, which is connected by whoever has made it. */
export interface NodeRedisClient {
  evalSha(sha: string, options: ScriptArguments): Promise<unknown>;
  eval(script: string, options: ScriptArguments): Promise<unknown>;
  /** Closes the connection at once; calls that wait reject. */
  destroy?(): unknown;
  connect?(): Promise<unknown>;
  /** Makes a client of the same kind, for notifications. */
  duplicate(): NodeRedisSubscriber;
}

export interface ScriptArguments {
  keys: string[];
  arguments: string[];
}

export interface NodeRedisSubscriber {
  readonly isOpen: boolean;
  on(event: "error" | "ready", listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  destroy(): void;
}

/** How long a client of `ioredis` is left to close its connection: it opens the next one later than that. */
const reconnectMs = 20;

/** What both kinds of clients can do. */
export interface Connection {
  /** Runs a script that the server has, by its hash. */
  runKnown(sha: string, key: string, args: string[]): Promise<unknown>;
  /** Runs a script, which the server has from then on. */
  run(script: string, key: string, args: string[]): Promise<unknown>;
  /** Closes the connection of the client, and opens another one. Never rejects. */
  reconnect(): Promise<void>;
  /** Returns how to listen to a channel. */
  listenTo(channel: string): Listen;
}

/** Returns what a store does with a client. Throws a `TypeError` for what is no client. */
export function connectionOf(client: RedisClient): Connection {
  if ("evalSha" in client) {
    return {
      runKnown: (sha, key, args) => client.evalSha(sha, { keys: [key], arguments: args }),
      run: (script, key, args) => client.eval(script, { keys: [key], arguments: args }),
      reconnect: () => reconnectNodeRedis(client),
      listenTo: (channel) => listenByNodeRedis(() => client.duplicate(), channel),
    };
  }
  // Who writes JavaScript may hand over anything.
  if (typeof (client as Partial<IoRedisClient>).evalsha !== "function")
    throw new TypeError("The store needs a client of ioredis or redis");
  // What an append writes is limited by `maxQueue` and `maxPending`, and leases come in parts.
  return {
    runKnown: (sha, key, args) => client.evalsha(sha, 1, key, ...args),
    run: (script, key, args) => client.eval(script, 1, key, ...args),
    reconnect: () => reconnectIoRedis(client),
    listenTo: (channel) => listenByIoRedis(() => client.duplicate(), channel),
  };
}

function reconnectIoRedis(client: IoRedisClient): Promise<void> {
  // It sends the calls again that wait for their replies.
  quietly(() => client.disconnect?.(true));
  return new Promise((resolve) => setTimeout(resolve, reconnectMs));
}

async function reconnectNodeRedis(client: NodeRedisClient): Promise<void> {
  try {
    client.destroy?.();
    await client.connect?.();
  } catch {
    // The client reports what goes wrong to its listeners, and tries again as it was told.
  }
}

function listenByIoRedis(duplicate: () => IoRedisSubscriber, channel: string): Listen {
  return ({ onListening, onMessage, onEnd }) => {
    const subscriber = duplicate();
    const subscribe = (): void => {
      subscriber.subscribe(channel).then(onListening, () => undefined);
    };
    subscriber.on("error", () => undefined);
    subscriber.on("end", onEnd);
    subscriber.on("message", (from, message) => {
      if (from === channel) onMessage(message);
    });
    // It subscribes again by itself when it was connected again, but does not say when that is done.
    subscriber.on("ready", subscribe);
    subscribe();
    return () => {
      quietly(() => {
        subscriber.disconnect();
      });
    };
  };
}

function listenByNodeRedis(duplicate: () => NodeRedisSubscriber, channel: string): Listen {
  return ({ onListening, onMessage, onEnd }) => {
    const subscriber = duplicate();
    let isSubscribed = false;
    subscriber.on("error", () => {
      // It connects again by itself, unless it was told to give up.
      if (isSubscribed && !subscriber.isOpen) onEnd();
    });
    subscriber.on("ready", () => {
      if (isSubscribed) onListening();
    });
    subscriber
      .connect()
      .then(() => subscriber.subscribe(channel, onMessage))
      .then(() => {
        isSubscribed = true;
        onListening();
      })
      .catch(onEnd);
    return () => {
      quietly(() => {
        subscriber.destroy();
      });
    };
  };
}
