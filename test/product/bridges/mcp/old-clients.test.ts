import { describe, expect, it, vi } from "vitest";
import { mcpHandler, mcpServer } from "../../../../library/bridges/mcp.js";
import { clerk } from "./agents.js";
import { oldClient, oldPipedClient, textsOf } from "./clients.js";

const secret = "a secret of at least thirty-two bytes";
const name = "ask_Travel_clerk";

type Result = Parameters<typeof textsOf>[0];

describe("a client of the revision 2025-11-25", () => {
  it("the client asks its user over stdio, but opens no addresses", async () => {
    const client = await oldPipedClient(mcpServer(clerk().remote));
    const booked = await client.callTool({ name, arguments: { message: "book" } });
    expect(textsOf(booked as Result)).toEqual(["Booked Oslo for two"]);
    const secretly = await client.callTool({ name, arguments: { message: "secret" } });
    expect(secretly["structuredContent"]).toMatchObject({
      state: "auth-required",
      signInAt: ["https://login.example/x"],
    });
  });

  it("the client gets progress over stdio and HTTP", async () => {
    const clients = [
      await oldPipedClient(mcpServer(clerk().remote)),
      await oldClient(mcpHandler(clerk().remote, { secret })),
    ];
    for (const client of clients) {
      const progress: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => {
        progress.push(message);
      };
      await client.callTool({ name, arguments: { message: "hi" } }, undefined, { onprogress });
      expect(progress[0]).toBe("Reading");
    }
  });

  it("a canceled call cancels the task over stdio", async () => {
    const { remote, canceled } = clerk();
    const client = await oldPipedClient(mcpServer(remote));
    const caller = new AbortController();
    const onprogress = () => {
      caller.abort();
    };
    const call = client.callTool({ name, arguments: { message: "slow" } }, undefined, {
      signal: caller.signal,
      onprogress,
    });
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => {
      expect(canceled).toHaveLength(1);
    });
  });
});
