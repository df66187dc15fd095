import { connect, jsonRpc, rest } from "../../../generated/1.0/index.js";
import { followTask } from "../../../generated/1.0/kit/client/index.js";

/** The runtimes whose examples import files by other names than the examples for Node. */
export const elsewhere: readonly string[] = ["Deno", "Next"];

/** Returns whether the example of a runtime has a project of its own. */
export function isElsewhere(runtime: string | undefined): boolean {
  return runtime !== undefined && elsewhere.includes(runtime);
}

/**
 * Sends a name to the agent of the pages about runtimes over each transport. Returns the text of
 * its artifacts.
 */
export async function greetings(
  url: string,
  fetch?: typeof globalThis.fetch,
): Promise<Record<string, string>> {
  const options = fetch === undefined ? {} : { fetch };
  const transports = { jsonRpc: jsonRpc(options), rest: rest(options) };
  const found = Object.entries(transports).map(
    async ([name, transport]): Promise<[string, string]> => {
      const client = await connect(url, { transports: [transport], ...options });
      const message = {
        messageId: crypto.randomUUID(),
        role: "ROLE_USER" as const,
        parts: [{ text: "Ada" }],
      };
      const { task } = await followTask(client, { message }).result();
      const id = task?.id ?? "";
      // The server closes idle connections, which a busy machine may use too late.
      const read = await client.getTask({ id }).catch(() => client.getTask({ id }));
      client.close();
      return [
        name,
        read.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)).join("") ?? "",
      ];
    },
  );
  return Object.fromEntries(await Promise.all(found));
}
