import { setTimeout as delay } from "node:timers/promises";
import type { Campaign } from "../../support/campaign.js";
import { variedSubjects } from "../subjects.js";
import { begin, channel, grpcOf, metadataOf } from "../wire.js";
import { damaged, hex, reshaped, smallerBytes } from "./bytes.js";
import type { Guarded } from "./guarded.js";
import { goodRequests } from "./requests.js";
import { agentOf, closeAll, expectNoFaults, startAll, withToken } from "./servers.js";

interface BytesCase {
  readonly version: string;
  readonly method: string;
  readonly bytes: Uint8Array;
  /** Metadata in addition to the metadata of a good call. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Whether the caller cancels the call at once. */
  readonly leaves: boolean;
}

/** Damaged messages over gRPC. */
export const grpcRequests: Campaign<BytesCase> = grpcRequestsTo();

/** The codes of calls that succeed, and of errors that are the fault of the caller. */
const codes = new Map([
  [0, "accepted"],
  [3, "refused"],
]);

/**
 * The further codes of calls to agents with everything switched on, and of calls with unusual
 * metadata.
 */
const guardedCodes = new Map([
  ...codes,
  [1, "canceled"],
  [8, "refused for its rate"],
  [9, "refused for its version"],
  [16, "refused without a valid token"],
]);

/** Damaged messages and metadata over gRPC, for agents that may require tokens. */
export function grpcRequestsTo(setup?: Guarded): Campaign<BytesCase> {
  return {
    name: `requests over gRPC${setup === undefined ? "" : " with everything switched on"}`,
    async open() {
      const agents = await startAll(setup);
      const channels = new Map(agents.map((agent) => [agent.subject.version, channel(agent)]));
      const sent = { whole: 0, all: 0 };
      return {
        limitMs: 2_000,
        generate(random) {
          const subject = random.pick(variedSubjects);
          const { method, bytes } = grpcOf(subject, ...random.pick(goodRequests(subject)));
          const kept = setup !== undefined && random.oneIn(3);
          const given = {
            method,
            bytes: kept ? bytes : (random.oneIn(2) ? damaged : reshaped)(bytes, random),
          };
          const headers = setup === undefined ? [] : random.list(2, () => random.pick(unusual));
          const leaves = setup !== undefined && random.oneIn(10);
          return withToken({ version: subject.version, ...given, headers, leaves }, random, setup);
        },
        async attempt({ version, method, bytes, headers, leaves }) {
          const agent = agentOf(agents, version);
          const client = channels.get(version) ?? channel(agent);
          sent.all += 1;
          if (!leaves) sent.whole += 1;
          const code = await new Promise<number>((resolve) => {
            const metadata = metadataOf({
              ...agent.subject.headers,
              ...Object.fromEntries(headers),
            });
            const call = begin(client, agent.subject, {
              method,
              bytes,
              metadata,
              deadline: Date.now() + 20_000,
            });
            call.on("data", () => undefined).on("error", () => undefined);
            call.on("status", (status) => resolve(status.code));
            if (leaves) setImmediate(() => call.cancel());
          });
          const outcome = (setup === undefined ? codes : guardedCodes).get(code);
          if (outcome === undefined || (code === 1 && !leaves))
            throw new Error(`the call ends with ${code}`);
          expectNoFaults(agent);
          return outcome;
        },
        *smaller({ bytes, headers, ...rest }) {
          for (const smaller of smallerBytes(bytes)) yield { ...rest, headers, bytes: smaller };
          for (const index of headers.keys())
            yield { ...rest, bytes, headers: headers.filter((_, at) => at !== index) };
        },
        print: ({ bytes, ...rest }) => `${hex(bytes)} ${JSON.stringify(rest)}`,
        async close() {
          for (const client of channels.values()) client.close();
          await expectReports(
            () => agents.reduce((sum, { counts }) => sum + counts.grpcReports, 0),
            sent,
          );
          await closeAll(agents, setup);
        },
      };
    },
  };
}

/** Expects one report about each call. A call that is canceled at once may not reach the agent. */
async function expectReports(reports: () => number, sent: { whole: number; all: number }) {
  // An agent reports a call after its response.
  for (let tries = 0; tries < 40 && reports() < sent.whole; tries += 1) await delay(50);
  if (reports() < sent.whole || reports() > sent.all)
    throw new Error(
      `the observers received ${reports()} reports about ${sent.whole} to ${sent.all} calls`,
    );
}

/** Metadata that callers may send. */
const unusual: readonly (readonly [string, string])[] = [
  ...["1.0", "0.3", "", "9.9", "1.0, 0.3", "x".repeat(100)].map(
    (value) => ["a2a-version", value] as const,
  ),
  ...[
    "",
    ",",
    "https://a",
    "https://a, https://b",
    "x".repeat(5_000),
    "https://a,https://a",
  ].flatMap((value) =>
    ["a2a-extensions", "x-a2a-extensions"].map((name) => [name, value] as const),
  ),
  ["authorization", "Basic eA=="],
  ["traceparent", "00-zz-zz-01"],
  ["x-forwarded-for", "127.0.0.1, ::1"],
  ["a".repeat(200), "b"],
];
