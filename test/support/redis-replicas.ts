import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Cluster, Redis } from "ioredis";
import { createCluster, createSentinel } from "redis";
import { vi } from "vitest";
import type { RedisClient } from "../../library/stores/redis.js";
import { type Library, RedisServer } from "./redis.js";
import { clusterIsKnownTo, formCluster, slotCount } from "./redis-cluster.js";

const host = "127.0.0.1";

/** Returns the lines of a configuration file as options of the command line. */
export function optionsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const [name = "", ...values] = line.split(/\s+/);
    return [`--${name}`, ...values];
  });
}

/** A primary with replicas, and clients that follow a failover. */
export abstract class RedisReplicas {
  readonly primary: RedisServer;
  readonly replicas: readonly RedisServer[];
  protected readonly closers: (() => unknown)[] = [];

  /** Accepts settings of the servers as options of the command line. */
  constructor(settings: readonly string[], replicas: number) {
    this.primary = new RedisServer(...settings);
    this.replicas = Array.from({ length: replicas }, () => new RedisServer(...settings));
  }

  /** Starts the servers; resolves when all replicas have the data of the primary. */
  abstract start(): Promise<void>;

  /** Returns a client that follows a failover. */
  abstract client(library: Library): Promise<RedisClient>;

  /**
   * Ends the connections of the replicas to the primary. Stops the replicas, so that they do not
   * connect again before {@link continueReplicas}.
   */
  async cutOffReplicas(): Promise<void> {
    for (const replica of this.replicas) replica.signal("SIGSTOP");
    await this.primary.io().call("CLIENT", "KILL", "TYPE", "replica");
  }

  /** Writes a key to the primary. */
  async write(): Promise<void> {
    await this.primary.io().set("{a2a}probe", "1");
  }

  /** Continues the replicas after {@link cutOffReplicas}. */
  continueReplicas(): void {
    for (const replica of this.replicas) replica.signal("SIGCONT");
  }

  /** Resolves when a number of replicas follow the primary. */
  protected async followed(count: number): Promise<void> {
    const client = this.primary.io();
    await vi.waitFor(async () => {
      const online = (await client.info("replication")).match(/state=online/g) ?? [];
      if (online.length < count) throw new Error(`Only ${String(online.length)} replicas follow`);
    });
  }

  /** Closes the clients, and stops the servers. */
  async stop(): Promise<void> {
    for (const close of this.closers.splice(0)) await close();
    await Promise.all([this.primary, ...this.replicas].map((server) => server.stop()));
  }
}

/** A primary with two replicas, and three Sentinels, which promote a replica. */
export class SentinelReplicas extends RedisReplicas {
  readonly #lines: readonly string[];
  readonly #sentinels: RedisServer[] = [];

  /**
   * Accepts settings of the servers as options of the command line, and the lines of a
   * configuration file of Sentinel that watches a primary with the name `agents` at 127.0.0.1 and
   * port 6379.
   */
  constructor(settings: readonly string[], lines: readonly string[]) {
    super(settings, 2);
    this.#lines = lines;
  }

  async start(): Promise<void> {
    await this.primary.start();
    for (const replica of this.replicas) {
      await replica.start();
      await replica.io().replicaof(host, this.primary.port);
    }
    await this.followed(2);
    for (let at = 0; at < 3; at += 1) {
      // A Sentinel writes its state into its file.
      const sentinel = new RedisServer("--sentinel");
      const file = join(sentinel.folder, "sentinel.conf");
      writeFileSync(file, this.#lines.join("\n").replace("6379", String(this.primary.port)));
      sentinel.file = file;
      await sentinel.start();
      this.#sentinels.push(sentinel);
    }
    // A failover requires that each Sentinel knows both replicas and both other Sentinels.
    for (const sentinel of this.#sentinels)
      await vi.waitFor(async () => {
        const master = String(await sentinel.io().call("SENTINEL", "MASTERS"));
        if (!master.includes("num-slaves,2,num-other-sentinels,2")) throw new Error(master);
      });
  }

  async client(library: Library): Promise<RedisClient> {
    const sentinels = this.#sentinels.map(({ port }) => ({ host, port }));
    if (library === "ioredis") {
      const client = new Redis({ sentinels, name: "agents" });
      client.on("error", () => undefined);
      this.closers.push(() => {
        client.disconnect();
      });
      return client;
    }
    const client = createSentinel({ name: "agents", sentinelRootNodes: sentinels });
    client.on("error", () => undefined);
    this.closers.push(() => client.destroy());
    await client.connect();
    return client;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#sentinels.map((sentinel) => sentinel.stop()));
  }
}

/**
 * A cluster of three primaries. The primary of all slots has two replicas. Both other primaries only
 * vote.
 */
export class ClusterReplicas extends RedisReplicas {
  readonly #voters: readonly RedisServer[];

  /** Accepts settings of the servers as options of the command line. */
  constructor(settings: readonly string[]) {
    super(settings, 2);
    this.#voters = [1, 2].map(() => new RedisServer(...settings));
  }

  async start(): Promise<void> {
    const all = [this.primary, ...this.#voters, ...this.replicas];
    await Promise.all(all.map((server) => server.start()));
    // Only primaries with slots vote.
    const counts = [slotCount - 2, 1, 1];
    await formCluster([this.primary, ...this.#voters], counts, this.replicas);
    const id = String(await this.primary.io().call("CLUSTER", "MYID"));
    for (const replica of this.replicas)
      await vi.waitFor(() => replica.io().call("CLUSTER", "REPLICATE", id));
    for (const server of all) {
      await clusterIsKnownTo(server, all.length);
      await vi.waitFor(async () => {
        const text = String(await server.io().call("CLUSTER", "NODES"));
        if ((text.match(/\bslave /g) ?? []).length !== 2) throw new Error(text);
      });
    }
    await this.followed(2);
  }

  async client(library: Library): Promise<RedisClient> {
    const nodes = [...this.#voters, ...this.replicas].map(({ port }) => ({ host, port }));
    if (library === "ioredis") {
      const client = new Cluster(nodes);
      client.on("error", () => undefined);
      this.closers.push(() => {
        client.disconnect();
      });
      return client;
    }
    const client = createCluster({ rootNodes: nodes.map((socket) => ({ socket })) });
    client.on("error", () => undefined);
    this.closers.push(() => {
      client.destroy();
    });
    await client.connect();
    return client;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#voters.map((server) => server.stop()));
  }
}
