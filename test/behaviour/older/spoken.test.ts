import { describe, expect, it } from "vitest";
import { adaptedOutput } from "../../support/adapted.js";

const url = "https://agent.example/";
const card = {
  name: "Agent",
  description: "Has the form of cards of 0.3 and 0.4.",
  version: "1",
  url,
  preferredTransport: "JSONRPC",
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};
const message = {
  kind: "message",
  messageId: "m2",
  role: "agent",
  parts: [{ kind: "text", text: "Hello" }],
};

interface Sent {
  readonly params: { readonly message: { readonly kind?: string; readonly role: string } };
}

/**
 * Sends a message to an agent whose card names a version, and returns the message as the agent gets
 * it.
 */
async function sentTo(protocolVersion: string | undefined, isCardGiven: boolean) {
  const { own, adapters } = await adaptedOutput("0.4-draft", ["0.3.0"]);
  const spoken = adapters["0.3"]?.spoken;
  if (spoken === undefined) throw new Error("The output has no adapter for 0.3");
  const found = protocolVersion === undefined ? card : { ...card, protocolVersion };
  const bodies: Sent[] = [];
  const fetch = (_input: unknown, { body }: RequestInit = {}): Promise<Response> => {
    if (typeof body !== "string") return Promise.resolve(Response.json(found));
    const sent = JSON.parse(body) as Sent & { readonly id: string };
    bodies.push(sent);
    return Promise.resolve(Response.json({ jsonrpc: "2.0", id: sent.id, result: message }));
  };
  const target = isCardGiven ? (found as unknown as Parameters<typeof own.connect>[0]) : url;
  const client = await own.connect(target, { fetch: fetch, versions: [spoken] });
  const request = { message: { messageId: "m1", role: "ROLE_USER", content: [{ text: "Hi" }] } };
  await client
    .sendMessage(request as unknown as Parameters<typeof client.sendMessage>[0])
    .catch(() => undefined);
  return bodies[0]?.params.message ?? { role: "" };
}

describe("a client of 0.4-draft with an adapter for 0.3", () => {
  it.each([true, false])(
    "the client uses 0.3 if the card names 0.3 (card given: %j)",
    async (isCardGiven) => {
      expect(await sentTo("0.3.0", isCardGiven)).toMatchObject({ kind: "message", role: "user" });
    },
  );

  it.each(["0.4", "0.4.0", "0.5.0", undefined])(
    "the client uses 0.4 if the card names %j",
    async (version) => {
      const sent = await sentTo(version, false);
      expect(sent).not.toHaveProperty("kind");
      expect(sent.role).toBe("ROLE_USER");
    },
  );
});
