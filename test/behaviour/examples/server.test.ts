import { describe, expect, it } from "vitest";
import { transcript } from "../../../examples/client/transcript.js";
import { startEchoAgent } from "../../../examples/echo-agent/server.js";
import { operations } from "../../../generated/1.0/operations.js";
import { opened } from "../../support/everywhere.js";
import { onEveryTransport, send } from "./agents.js";

describe("the echo agent", () => {
  it("answers every operation as the transcript of the client says", async () => {
    const lines = await onEveryTransport(async ({ client }) => {
      const lines: (readonly [string, string, string])[] = [];
      for await (const { operation, expected, outcome } of transcript(client, "http://127.0.0.1:9/hook")) {
        lines.push([operation, expected, outcome]);
      }
      return lines;
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

  it("does not start where a port is taken, and leaves the other one free", async () => {
    const first = await startEchoAgent();
    const port = Number(new URL(first.url).port);
    const spare = await startEchoAgent();
    const grpcPort = Number(spare.grpcUrl.split(":")[1]);
    await spare.close();
    await expect(startEchoAgent({ port, grpcPort })).rejects.toThrow("EADDRINUSE");
    await first.close();
    const again = await startEchoAgent({ port, grpcPort });
    expect(again).toMatchObject({ url: first.url, grpcUrl: spare.grpcUrl });
    await again.close();
  });
});
