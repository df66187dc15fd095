import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { expectAlive } from "./everywhere.js";
import type { Methods, Subject, TestAgentOptions } from "./subject.js";
import { portOf } from "../support/ports.js";

/** An agent on free ports, and what it has reported. */
export interface TestAgent {
  readonly subject: Subject;
  readonly port: number;
  /** The address of the gRPC server. */
  readonly grpc: string;
  readonly http: Server;
  readonly grpcServer: GrpcServer;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Errors that the agent did not reveal to its callers. */
  readonly faults: readonly unknown[];
  /**
   * Numbers of the requests over HTTP that have arrived, and of the reports that the agent's
   * observer has received.
   */
  readonly counts: {
    readonly requests: number;
    readonly reports: number;
    readonly grpcReports: number;
  };
}

const stops: (() => Promise<void>)[] = [];

/**
 * Starts an agent over HTTP and gRPC: JSON-RPC on `/rpc`, HTTP+JSON on `/`. Methods that are
 * `undefined` are missing.
 */
export async function startAgent(
  subject: Subject,
  methods: Methods = {},
  options: TestAgentOptions = {},
): Promise<TestAgent> {
  const faults: unknown[] = [];
  const counts = { requests: 0, reports: 0, grpcReports: 0 };
  // Every attack meets the observer and a rate, too.
  const observed = {
    observe: ({ binding }: { readonly binding: string | undefined }) => {
      // The server of gRPC has no event for each request to compare with.
      if (binding === "GRPC" || binding === "grpc") counts.grpcReports += 1;
      else counts.reports += 1;
    },
    rates: { perAddress: { perSecond: 1_000_000 } },
  };
  const all = { ...options, agent: { ...observed, ...options.agent } };
  const {
    listener,
    fetch,
    grpc: service,
  } = subject.serve(methods, all, (error) => void faults.push(error));
  const http = createServer({ connectionsCheckingInterval: 50 }, listener);
  http.on("request", () => (counts.requests += 1));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const grpcServer = new GrpcServer();
  grpcServer.addService(service.definition, service.implementation);
  const grpcPort = await bind(grpcServer);
  const port = portOf(http);
  stops.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    grpcServer.forceShutdown();
  });
  const counted = (request: Request) => {
    counts.requests += 1;
    return fetch(request, { peer: { address: "127.0.0.1" } });
  };
  return {
    subject,
    port,
    grpc: `127.0.0.1:${grpcPort}`,
    http,
    grpcServer,
    fetch: counted,
    faults,
    counts,
  };
}

function bind(server: GrpcServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

/** Stops every agent that the tests of a file have started. */
export async function stopAgents(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

/**
 * Shares an agent among the tests of a group, and expects in the end that it reported no fault and
 * still responds.
 */
export function shareAgent(
  use: (agent: TestAgent) => void,
  ...given: Parameters<typeof startAgent>
): void {
  let agent: TestAgent | undefined;
  beforeAll(async () => use((agent = await startAgent(...given))));
  afterAll(async () => {
    if (agent === undefined) return;
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
    const { counts } = agent;
    await vi.waitFor(() => {
      expect(counts.reports).toBe(counts.requests);
    });
    await stopAgents();
  });
}
