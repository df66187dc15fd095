import { describe, expect, it } from "vitest";
import { transcript } from "../../../examples/client-0.3/transcript.js";
import { startEchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import { operations } from "../../../generated/0.3.0/operations.js";
import { opened } from "../../support/everywhere.js";
import { onEveryTransport, send } from "./agents.js";

describe("the echo agent of 0.3.0", () => {
  it("answers every operation as the transcript of the client says", async () => {
    const lines = await onEveryTransport(async ({ client }) => {
      const played: (readonly [string, string, string])[] = [];
      for await (const { operation, expected, outcome } of transcript(client, "http://127.0.0.1:9/hook")) {
        played.push([operation, expected, outcome]);
      }
      return played;
    });
    expect(lines.filter(([, expected, outcome]) => expected !== outcome)).toEqual([]);
    expect(new Set(lines.map(([operation]) => operation))).toEqual(new Set(operations.map(({ name }) => name)));
  });

  it("ends open streams when it is closed", async () => {
    await onEveryTransport(async ({ client, agent }) => {
      const { id } = await send(client, "ask");
      const stream = await opened(client.subscribeToTask({ id }));
      const end = stream.rest().then(
        () => "end",
        () => "end",
      );
      await agent.close();
      expect(await end).toBe("end");
    });
  });

  it("does not start where a port is taken", async () => {
    const first = await startEchoAgent();
    await expect(startEchoAgent({ port: Number(new URL(first.url).port) })).rejects.toThrow("EADDRINUSE");
    await first.close();
  });
});
