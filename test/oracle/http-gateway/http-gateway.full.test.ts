import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../support/random/random.js";
import { seed } from "../../support/seed.js";
import { cases, type HttpCase } from "./cases.js";
import { differences } from "./differences.js";
import { areEqual, exchange } from "./exchange.js";
import { buildGateway, startGateway, type Gateway } from "./gateway.js";
import { libraryService, loadLibrary } from "../../behaviour/services/library.js";
import { randomCase } from "./random-cases.js";

/** The same service twice: over our HTTP server, and over grpc-gateway and our gRPC server. */
interface Servers {
  readonly url: string;
  readonly gateway: Gateway;
  readonly opened: readonly Pick<Server, "close">[];
}

describe("the routes of HTTP+JSON", () => {
  let servers: Servers | undefined;
  let reason = "";

  beforeAll(async () => {
    let program: string;
    try {
      program = await buildGateway();
    } catch (error) {
      reason = `grpc-gateway cannot be built with Go and buf: ${String(error)}`;
      return;
    }
    const library = await loadLibrary();
    const service = libraryService(library);
    const wire = library.createServiceServer(service).listen(0, "127.0.0.1");
    const http = createServer(library.nodeListener(service)).listen(0, "127.0.0.1");
    await Promise.all([once(wire, "listening"), once(http, "listening")]);
    servers = {
      url: `http://${addressOf(http)}`,
      gateway: await startGateway(program, addressOf(wire)),
      opened: [wire, http],
    };
  }, 300_000);

  afterAll(async () => {
    await servers?.gateway.stop();
    for (const server of servers?.opened ?? []) server.close();
  });

  const used = new Set<string>();

  /** Returns the requests to which the servers respond differently without a reason. */
  async function unexplained({ url, gateway }: Servers, requests: readonly HttpCase[]) {
    const found: object[] = [];
    for (const request of requests) {
      const [ours, theirs] = await Promise.all(
        [url, gateway.url].map((to) => exchange(to, request)),
      );
      if (ours === undefined || theirs === undefined || areEqual(ours, theirs)) continue;
      const known = differences.filter(({ explains }) => explains(request, ours, theirs));
      for (const each of known) used.add(each.reason);
      if (known.length === 0) found.push({ request, ours, theirs });
    }
    return found;
  }

  it("requests get the responses of grpc-gateway, except for differences on purpose", async (context) => {
    if (servers === undefined) {
      context.skip(reason);
      return;
    }
    expect(cases.length).toBeGreaterThan(200);
    expect(await unexplained(servers, cases)).toEqual([]);
    expect([...used].toSorted()).toEqual(differences.map((each) => each.reason).toSorted());
  }, 120_000);

  it("random valid requests get the responses of grpc-gateway", async (context) => {
    if (servers === undefined) {
      context.skip(reason);
      return;
    }
    const random = new Random(seed);
    const requests = Array.from({ length: 200 }, () => randomCase(random));
    expect(await unexplained(servers, requests)).toEqual([]);
  }, 120_000);
});

function addressOf(server: Pick<Server, "address">): string {
  const { port } = server.address() as AddressInfo;
  return `127.0.0.1:${String(port)}`;
}
