import {
  startEchoAgent,
  type EchoAgentOptions,
} from "../../../../../examples/echo-agent/server.js";
import { startEchoAgent as startEarlier } from "../../../../../examples/echo-agent-0.3/server.js";
import { grpcTransports } from "../../../../../tools/a2a/grpc.js";
import { probeAgent, type ProbeOptions } from "../../../../../tools/probe/probe.js";
import type { Result } from "../../../../../tools/probe/result.js";
import { suiteAgent } from "../agents.js";
import { cardMutants } from "./card.js";
import type { AgentKind, Mutant } from "./mutant.js";
import { protocolMutants } from "./protocol.js";
import { listMutants, pushMutants, streamMutants, taskMutants } from "./tasks.js";

/** All mutants whose responses are changed over HTTP. */
export const mutants: readonly Mutant[] = [
  ...cardMutants,
  ...protocolMutants,
  ...taskMutants,
  ...streamMutants,
  ...listMutants,
  ...pushMutants,
];

/** An agent with the options that a probe of it requires. */
export interface Subject {
  readonly url: string;
  readonly options: ProbeOptions;
  readonly close: () => Promise<void>;
}

const off = { streaming: false, pushNotifications: false, extendedAgentCard: false };
const required = { extensions: [{ uri: "https://a2a.example/required", required: true }] };

async function echo(options: EchoAgentOptions, message = "Hello"): Promise<Subject> {
  const agent = await startEchoAgent({ onError: () => undefined, ...options });
  return { url: agent.url, close: () => agent.close(), options: { message } };
}

/** Starts an agent of each kind. */
export const agents: Readonly<Record<AgentKind, () => Promise<Subject>>> = {
  full: () => echo({}),
  plain: () => echo({ capabilities: off }),
  async asking() {
    const subject = await echo({}, "ask What else?");
    // A mutant reads the whole stream of a subscription, which does not end while the task waits.
    return { ...subject, options: { ...subject.options, timeoutMs: 2_000 } };
  },
  replying: () => echo({}, "message: Hello"),
  extended: () => echo({ capabilities: { ...required, streaming: true } }),
  async closed() {
    const { url } = await suiteAgent({ users: { good: "ada" } });
    return {
      url,
      close: async () => undefined,
      options: { headers: { authorization: "Bearer good" } },
    };
  },
  async earlier() {
    const agent = await startEarlier({ onError: () => undefined });
    return { url: agent.url, close: () => agent.close(), options: {} };
  },
};

/** Probes an agent, and returns the results. */
export async function probe(
  { url, options }: Subject,
  more: ProbeOptions,
): Promise<readonly Result[]> {
  return (
    await probeAgent(url, { allowSend: true, transports: grpcTransports(), ...options, ...more })
  ).results;
}
