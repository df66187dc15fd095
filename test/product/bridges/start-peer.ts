import { onTestFinished } from "vitest";
import { remoteAgent } from "../../../generated/1.0/kit/client/index.js";
import { v0_3 } from "../../../generated/1.0/versions/0.3/client.js";
import type { RemoteAgent } from "../../../library/client/remote-agent.js";
import { type Peer, peers } from "./peers.js";

/** The kinds of agents that tests call. */
export const kinds: readonly (keyof typeof peers)[] = [
  "the kit, 1.0",
  "the kit, 0.3 only",
  "the SDK, 1.3",
];

/** Starts an agent for a test, and returns it with a remote agent that calls it. */
export async function startPeer(
  kind: keyof typeof peers,
): Promise<Peer & { readonly remote: RemoteAgent }> {
  const peer = await peers[kind]();
  const remote = remoteAgent(peer.url, { versions: [v0_3] });
  onTestFinished(() => remote.close());
  return { ...peer, remote };
}
