import { createServer } from "node:http";
import { once } from "node:events";
import { reasonOf } from "../../../support/diagnostics.js";
import { readText } from "../../../support/read-text.js";
import { measure, type Report, type Result } from "../result.js";
import { Inapplicable, type Outcome } from "../rule.js";
import { requestOf, respond, type ClientRequest } from "./agent.js";
import { clientRules } from "./rules.js";

/** Options of {@link startClientProbe}. */
export interface ClientProbeOptions {
  /** Port on 127.0.0.1; a free port by default. */
  readonly port?: number | undefined;
  /** Called after each request. */
  readonly onRequest?: (request: ClientRequest) => void;
}

/** An agent that checks the requests of its clients. */
export interface ClientProbe {
  /** URL that a client can connect to. */
  readonly url: string;
  /** Checks the requests so far. */
  report(): Promise<Report>;
  close(): Promise<void>;
}

/** Maximum size of a request in bytes. */
const maxBytes = 2 ** 20;

/** Maximum number of requests to keep. */
const maxRequests = 10_000;

/** Starts an agent on 127.0.0.1 that responds to a client under test and records its requests. */
export async function startClientProbe({
  port = 0,
  onRequest,
}: ClientProbeOptions = {}): Promise<ClientProbe> {
  const requests: ClientRequest[] = [];
  const startedAt = new Date();
  let url = "";
  const server = createServer((incoming, outgoing) => {
    const handle = async (): Promise<void> => {
      const text = await readText(
        incoming,
        maxBytes,
        () => new Error(`The request has more than ${maxBytes} bytes`),
      );
      const headers = incoming.headers as ClientRequest["headers"];
      const request = requestOf(incoming.method ?? "GET", incoming.url ?? "/", headers, text);
      if (requests.length < maxRequests) requests.push(request);
      const { status, headers: responseHeaders, body } = respond(request, url);
      outgoing.writeHead(status, responseHeaders).end(body);
      onRequest?.(request);
    };
    handle().catch(() => outgoing.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const isBound = typeof address === "object" && address !== null;
  url = `http://127.0.0.1:${isBound ? address.port : port}`;
  return {
    url,
    report: () => reportOn(requests, url, startedAt),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function reportOn(
  requests: readonly ClientRequest[],
  url: string,
  startedAt: Date,
): Promise<Report> {
  const userAgent = requests
    .map(({ headers }) => headers["user-agent"])
    .find((name) => name !== undefined);
  const results: Result[] = [];
  for (const { check, ...facts } of clientRules) {
    const lane = { lane: "client", suite: "" };
    results.push(
      await measure({ ...facts, ...lane }, () => Promise.resolve(outcomeOf(() => check(requests)))),
    );
  }
  return {
    url,
    agent: `Client ${userAgent ?? ""}`.trim(),
    agentVersion: "",
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    lanes: ["client"],
    suites: [],
    results,
    notes: [],
  };
}

function outcomeOf(check: () => Outcome): Pick<Result, "state" | "reason" | "replies"> {
  try {
    const reason = check();
    return { state: reason === undefined ? "pass" : "fail", reason: reason ?? "", replies: [] };
  } catch (error) {
    const state = error instanceof Inapplicable ? "skip" : "error";
    return { state, reason: reasonOf(error), replies: [] };
  }
}
