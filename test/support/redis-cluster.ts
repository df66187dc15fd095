import { Cluster } from "ioredis";
import { vi } from "vitest";
import { RedisServer } from "./redis.js";

const host = "127.0.0.1";

/** Number of slots of a cluster. */
export const slotCount = 16_384;

/** Returns the slot of the keys with a prefix: its CRC-16 (XMODEM), modulo the number of slots. */
export function slotOf(prefix: string): number {
  let crc = 0;
  for (const byte of Buffer.from(prefix)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc % slotCount;
}

/** Options of the command line for a server of a cluster. */
const options = ["--cluster-enabled", "yes", "--cluster-announce-ip", host];

/**
 * Divides all slots of a cluster between servers, and introduces the servers to each other.
 * @param primaries The servers that get slots, which are started.
 * @param counts Number of slots of each server: in total, all slots.
 * @param others Further servers of the cluster.
 */
export async function formCluster(
  primaries: readonly RedisServer[],
  counts: readonly number[],
  others: readonly RedisServer[] = [],
): Promise<void> {
  let first = 0;
  for (const [at, server] of primaries.entries()) {
    const end = first + (counts[at] ?? 0);
    const client = server.io();
    await client.call("CLUSTER", "ADDSLOTSRANGE", String(first), String(end - 1));
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(at + 1));
    first = end;
  }
  const all = [...primaries, ...others];
  for (const server of all)
    for (const other of all)
      if (other !== server) await server.io().call("CLUSTER", "MEET", host, String(other.port));
}

/** Resolves when a server of a cluster knows a number of servers, and owners of all slots. */
export async function clusterIsKnownTo(server: RedisServer, servers: number): Promise<void> {
  await vi.waitFor(async () => {
    const info = String(await server.io().call("CLUSTER", "INFO"));
    const isKnown = info.includes(`cluster_known_nodes:${String(servers)}\r\n`);
    if (!isKnown || !info.includes("cluster_state:ok")) throw new Error(info);
  });
}

/** A cluster of primaries without replicas, with equal parts of the slots. */
export class RedisCluster {
  readonly servers: readonly RedisServer[];
  readonly #clients: Cluster[] = [];

  /** Accepts the number of primaries: at least three, because fewer cannot vote. */
  constructor(primaries = 3) {
    this.servers = Array.from({ length: primaries }, () => new RedisServer(...options));
  }

  /** Starts the servers; resolves when each server knows the owners of all slots. */
  async start(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.start()));
    const ends = this.servers.map((_, at) => this.#startOf(at + 1));
    const counts = ends.map((end, at) => end - this.#startOf(at));
    await formCluster(this.servers, counts);
    for (const server of this.servers) await clusterIsKnownTo(server, this.servers.length);
  }

  /** Returns the position of the server that has the slot of a prefix after the start. */
  serverOf(prefix: string): number {
    const slot = slotOf(prefix);
    return this.servers.findIndex((_, at) => slot < this.#startOf(at + 1));
  }

  /** Returns the first slot of a server. */
  #startOf(at: number): number {
    return Math.round((at * slotCount) / this.servers.length);
  }

  /** Returns a client of the cluster. */
  io(): Cluster {
    const client = new Cluster(this.servers.map(({ port }) => ({ host, port })));
    client.on("error", () => undefined);
    this.#clients.push(client);
    return client;
  }

  /** Closes the clients, and stops the servers. */
  async stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.disconnect();
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
