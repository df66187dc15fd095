import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import type { RedisClient } from "../../library/stores/redis.js";
import { freePort } from "./free-port.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Reason why no server is available, or `undefined` if it is. */
export const noRedis: string | undefined =
  spawnSync("redis-server", ["--version"]).status === 0
    ? undefined
    : "redis-server is not installed";

/** The libraries whose clients a store takes. */
export const libraries = ["ioredis", "redis"] as const;
export type Library = (typeof libraries)[number];

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** A server of this test's own, on a port of 127.0.0.1, and clients of it. */
export class RedisServer {
  readonly folder: string = temporaryFolder();
  readonly #settings: readonly string[];
  readonly #closers: (() => unknown)[] = [];
  #child: ChildProcess | undefined;
  port = 0;
  /** Path of the configuration file, which a Sentinel requires. */
  file: string | undefined;

  /** Takes settings as the command line has them. */
  constructor(...settings: readonly string[]) {
    this.#settings = settings;
  }

  /** Starts the server, with what it has kept; resolves when it takes connections. */
  async start(): Promise<void> {
    const isNew = this.port === 0;
    for (;;) {
      if (isNew) this.port = await freePort();
      const child = spawn(
        "redis-server",
        [
          ...(this.file === undefined ? [] : [this.file]),
          "--port",
          String(this.port),
          "--bind",
          "127.0.0.1",
          "--dir",
          this.folder,
          ...(this.file === undefined ? ["--save", ""] : []),
          ...this.#settings,
        ],
        { stdio: ["ignore", "pipe", "ignore"] },
      );
      if (await isReady(child)) {
        this.#child = child;
        return;
      }
      if (!isNew) throw new Error("Redis did not start again");
    }
  }

  /** Makes the server a cluster of one node. */
  async beCluster(): Promise<void> {
    const client = this.io();
    await client.call("CLUSTER", "ADDSLOTS", ...Array.from({ length: 16_384 }, (_, slot) => slot));
    while (!String(await client.call("CLUSTER", "INFO")).includes("cluster_state:ok"))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Stops the server, by shutdown or crash, and starts it again. */
  async restart(how: "orderly" | "crash"): Promise<void> {
    await this.end(how);
    await this.start();
  }

  /** Ends the server, and keeps what it has written. */
  async end(how: "orderly" | "crash" = "orderly"): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, "exit");
    child.kill(how === "crash" ? "SIGKILL" : "SIGTERM");
    await ended;
  }

  /** Stops the process of the server until it continues: its connections stay open. */
  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(name);
  }

  /** Returns a client of the server. */
  async client(library: Library, credentials: Credentials = {}): Promise<RedisClient> {
    if (library === "ioredis") return this.io(credentials);
    const client = createClient({ socket: { host: "127.0.0.1", port: this.port }, ...credentials });
    client.on("error", () => undefined);
    this.#closers.push(() => client.destroy());
    await client.connect();
    return client;
  }

  /** Returns a client that takes the server for a cluster. */
  async clusterClient(library: Library): Promise<RedisClient> {
    const node = { host: "127.0.0.1", port: this.port };
    if (library === "ioredis") {
      const cluster = new Cluster([node]);
      cluster.on("error", () => undefined);
      this.#closers.push(() => cluster.disconnect());
      return cluster;
    }
    const cluster = createCluster({ rootNodes: [{ socket: node }] });
    cluster.on("error", () => undefined);
    this.#closers.push(() => cluster.destroy());
    await cluster.connect();
    return cluster;
  }

  io(credentials: Credentials = {}): Redis {
    const client = new Redis({ host: "127.0.0.1", port: this.port, ...credentials });
    client.on("error", () => undefined);
    this.#closers.push(() => client.disconnect());
    return client;
  }

  /** Closes the clients, and removes the server with all that it has kept. */
  async stop(): Promise<void> {
    for (const close of this.#closers.splice(0)) close();
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves to whether a server takes connections, or has ended. */
function isReady({ stdout }: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let text = "";
    stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      // The second text is the text of a Sentinel.
      if (/Ready to accept connections|Sentinel ID is/.test(text)) resolve(true);
    });
    stdout?.on("end", () => resolve(false));
  });
}
