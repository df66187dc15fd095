import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Server } from "node:net";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { expectAlive } from "./everywhere.js";
import type { Methods, Served, Subject, TestAgentOptions } from "./subject.js";
import { portOf } from "../support/ports.js";

/** An agent on free ports, and what it has reported. */
export interface TestAgent {
  readonly subject: Subject;
  readonly port: number;
  /** The address of the gRPC server. */
  readonly grpc: string;
  readonly server: AgentServer;
  /** Stops the server of gRPC when all calls have ended. */
  readonly stopGrpc: () => Promise<Error | undefined>;
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

/** The server of the HTTP transports, which may also serve gRPC. */
interface AgentServer extends Server {
  closeAllConnections(): void;
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
  const served = subject.serve(methods, all, (error) => void faults.push(error));
  const listener: RequestListener = (request, response) => {
    counts.requests += 1;
    served.listener(request, response);
  };
  const http = { connectionsCheckingInterval: 50, ...options.http };
  const server = subject.isTogether
    ? served.together(listener, http)
    : createServer(http, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  const grpc = subject.isTogether
    ? { port, stop: () => closed(server) }
    : await serveGrpc(served.grpc);
  stops.push(async () => {
    server.closeAllConnections();
    await closed(server);
  });
  const counted = (request: Request) => {
    counts.requests += 1;
    return served.fetch(request, { peer: { address: "127.0.0.1" } });
  };
  return {
    subject,
    port,
    grpc: `127.0.0.1:${grpc.port}`,
    server,
    stopGrpc: grpc.stop,
    fetch: counted,
    faults,
    counts,
  };
}

function closed(server: Server): Promise<Error | undefined> {
  return new Promise((resolve) => server.close(resolve));
}

/** Serves gRPC with `@grpc/grpc-js`. */
async function serveGrpc({ definition, implementation }: Served["grpc"]) {
  const server = new GrpcServer();
  server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  stops.push(async () => server.forceShutdown());
  const stop = () => new Promise<Error | undefined>((resolve) => server.tryShutdown(resolve));
  return { port, stop };
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
