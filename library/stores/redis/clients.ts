import { ignoringErrors } from "../../kit/memory/ignoring-errors.js";
import type { Listen } from "../log/notifications.js";

/** A client of `ioredis` or of `redis`, for a server or a cluster. */
export type RedisClient = IoRedisClient | NodeRedisClient;

/** The methods of an `ioredis` client that the store calls. */
export interface IoRedisClient {
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Closes the connection, and opens a new connection. */
  disconnect?(reconnect?: boolean): void;
  /** Creates a client of the same kind, for notifications. */
  duplicate(): IoRedisSubscriber;
}

/** Connection of `ioredis` that receives messages. */
export interface IoRedisSubscriber {
  /** Settings, of which the store changes one. */
  readonly options?: object;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
  on(event: "error" | "ready" | "end", listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** The methods of a `redis` client that the store calls. The caller connects the client. */
export interface NodeRedisClient {
  evalSha(sha: string, options: ScriptArguments): Promise<unknown>;
  eval(script: string, options: ScriptArguments): Promise<unknown>;
  /** Closes the connection immediately, and rejects pending calls. */
  destroy?(): unknown;
  connect?(): Promise<unknown>;
  /** Creates a client of the same kind, for notifications. */
  duplicate(): NodeRedisSubscriber;
}

export interface ScriptArguments {
  keys: string[];
  arguments: string[];
}

/** Connection of `redis` that receives messages. */
export interface NodeRedisSubscriber {
  readonly isOpen: boolean;
  on(event: "error" | "ready", listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  destroy(): void;
}

/**
 * Milliseconds to wait until an `ioredis` client closes its connection. The client's delay before
 * it reconnects is longer.
 */
const reconnectMs = 20;

/** Operations that both kinds of clients support. */
export interface Connection {
  /** Runs a script that the server has cached, by its hash. */
  runKnown(sha: string, key: string, args: string[]): Promise<unknown>;
  /** Runs a script. The server caches it. */
  run(script: string, key: string, args: string[]): Promise<unknown>;
  /** Closes the connection of the client, and opens a new connection. Never rejects. */
  reconnect(): Promise<void>;
  /** Returns a function that subscribes to channels. */
  listenTo(channels: readonly string[]): Listen;
}

/**
 * Returns the operations of a client.
 * @throws A `TypeError` if the value is not a supported client.
 */
export function connectionOf(client: RedisClient): Connection {
  if ("evalSha" in client) {
    return {
      runKnown: (sha, key, args) => client.evalSha(sha, { keys: [key], arguments: args }),
      run: (script, key, args) => client.eval(script, { keys: [key], arguments: args }),
      reconnect: () => reconnectNodeRedis(client),
      listenTo: (channels) => listenByNodeRedis(() => client.duplicate(), channels),
    };
  }
  // Callers in plain JavaScript may pass any value.
  if (typeof (client as Partial<IoRedisClient>).evalsha !== "function")
    throw new TypeError("The store requires a client of ioredis or redis");
  // Spreading is safe, because `maxQueue` and `maxPending` limit the number of arguments of an
  // append, and leases are renewed in chunks.
  return {
    runKnown: (sha, key, args) => client.evalsha(sha, 1, key, ...args),
    run: (script, key, args) => client.eval(script, 1, key, ...args),
    reconnect: () => reconnectIoRedis(client),
    listenTo: (channels) => listenByIoRedis(() => client.duplicate(), channels),
  };
}

function reconnectIoRedis(client: IoRedisClient): Promise<void> {
  // With `true`, the client reconnects and sends its pending calls again.
  ignoringErrors(() => client.disconnect?.(true));
  return new Promise((resolve) => setTimeout(resolve, reconnectMs));
}

async function reconnectNodeRedis(client: NodeRedisClient): Promise<void> {
  try {
    client.destroy?.();
    await client.connect?.();
  } catch {
    // The client reports errors to its listeners, and retries according to its settings.
  }
}

function listenByIoRedis(duplicate: () => IoRedisSubscriber, channels: readonly string[]): Listen {
  return ({ onListening, onMessage, onEnd }) => {
    const subscriber = duplicate();
    // After a reconnect, the client would subscribe again. Then nothing would handle its rejection
    // when the subscriber is closed before the server responds, and Node.js would end.
    Object.assign(subscriber.options ?? {}, { autoResubscribe: false });
    const subscribe = (): void => {
      Promise.all(channels.map((channel) => subscriber.subscribe(channel))).then(
        onListening,
        () => undefined,
      );
    };
    subscriber.on("error", () => undefined);
    subscriber.on("end", onEnd);
    subscriber.on("message", (channel, message) => {
      if (channels.includes(channel)) onMessage(message);
    });
    subscriber.on("ready", subscribe);
    subscribe();
    return () => {
      ignoringErrors(() => {
        subscriber.disconnect();
      });
    };
  };
}

function listenByNodeRedis(
  duplicate: () => NodeRedisSubscriber,
  channels: readonly string[],
): Listen {
  return ({ onListening, onMessage, onEnd }) => {
    const subscriber = duplicate();
    let isSubscribed = false;
    subscriber.on("error", () => {
      // The client reconnects automatically, unless its settings make it stop. In that case, it is
      // no longer open.
      if (isSubscribed && !subscriber.isOpen) onEnd();
    });
    subscriber.on("ready", () => {
      if (isSubscribed) onListening();
    });
    subscriber
      .connect()
      .then(() => Promise.all(channels.map((channel) => subscriber.subscribe(channel, onMessage))))
      .then(() => {
        isSubscribed = true;
        onListening();
      })
      .catch(onEnd);
    return () => {
      ignoringErrors(() => {
        subscriber.destroy();
      });
    };
  };
}
