import { connect, jsonRpc, rest } from "../../../generated/1.0/index.js";
import { protocol } from "../../../generated/1.0/operations.js";

export { play } from "../runtimes/app.js";

// Runs in a browser, on a page with another origin than the agent.

/** Leaves a stream at its first event, and gives that. */
export async function leave(url: string, binding: string): Promise<unknown> {
  const client = await connected(url, binding);
  for await (const event of client.subscribeToTask({ id: "t" })) return event;
  return "nothing";
}

/** Names what keeps the page from an agent: from its card, or from a call. */
export async function refusal(url: string, binding: string): Promise<string> {
  const attempt = connected(url, binding).then((client) => client.getTask({ id: "t" }));
  return await attempt.then(
    () => "nothing",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

async function connected(url: string, binding: string) {
  return await connect(url, {
    transports: [binding === protocol.bindings.http ? rest() : jsonRpc()],
  });
}
