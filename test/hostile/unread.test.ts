import { once } from "node:events";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents } from "./agent.js";
import { expectAlive } from "./everywhere.js";
import type { Subject } from "./subject.js";
import { servedSubjects } from "./subjects.js";
import { flood, rest11 } from "./visits.js";
import { begin, channel, grpcOf, webPost } from "./wire.js";

afterAll(stopAgents);

/** Reads many events of another agent, which is the time that a stream without a pause takes. */
async function readMany(subject: Subject) {
  const { seen, sendStreamingMessage } = flood(subject);
  const agent = await startAgent(subject, { sendStreamingMessage });
  const socket = rest11(agent, "SendStreamingMessage").resume();
  await vi.waitFor(() => expect(seen.produced).toBeGreaterThan(400));
  socket.destroy();
}

describe.concurrent.each(servedSubjects)("a caller of $title that never reads", (subject) => {
  const { samples, answers, operations } = subject;
  const request = { message: samples.message };

  it("the service is paused over HTTP, and the caller is disconnected in the end", async () => {
    const { seen, sendStreamingMessage } = flood(subject);
    const agent = await startAgent(
      subject,
      { sendStreamingMessage },
      { node: { unreadTimeoutMs: 600 } },
    );
    const socket = rest11(agent, "SendStreamingMessage");
    socket.pause();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
    expect(seen.produced).toBeLessThan(200);
    socket.destroy();
    await expectAlive(agent);
  });

  it("the service is paused over gRPC until the caller continues to read or disconnects", async () => {
    const { seen, sendStreamingMessage } = flood(subject);
    const agent = await startAgent(subject, { sendStreamingMessage });
    const client = channel(agent);
    const call = begin(client, subject, grpcOf(subject, "SendStreamingMessage", request));
    await once(
      call.on("error", () => undefined),
      "readable",
    );
    await readMany(subject);
    const before = seen.produced;
    expect(before).toBeLessThan(200);
    call.on("data", () => undefined);
    await vi.waitFor(() => expect(seen.produced).toBeGreaterThan(before + 50));
    call.cancel();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
    client.close();
  });

  it("the service is paused over Web requests from the first event", async () => {
    const { seen, sendStreamingMessage } = flood(subject);
    const agent = await startAgent(subject, { sendStreamingMessage });
    const { path, body } = operations.SendStreamingMessage.place(request);
    const answer = await agent.fetch(webPost(agent, path, body));
    await readMany(subject);
    expect(seen.produced).toBe(1);
    const reader = answer.body?.getReader();
    for (let count = 0; count < 5; count++) await reader?.read();
    await readMany(subject);
    expect(seen.produced).toBe(5);
    await reader?.cancel();
    expect(seen).toMatchObject({ returned: 1, aborted: 1 });
  });

  it("a caller that never reads gets no comments", async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const agent = await startAgent(
      subject,
      {
        async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
          signal.addEventListener("abort", leave);
          yield answers.message({
            ...samples.message,
            parts: [samples.textPart("x".repeat(8_000_000))],
          });
          await once(signal, "abort");
        },
      },
      { limits: { keepAliveMs: 5 }, node: { unreadTimeoutMs: 300 } },
    );
    const socket = rest11(agent, "SendStreamingMessage");
    socket.pause();
    const closed = once(socket.resume().pause(), "close");
    await left;
    socket.resume();
    await closed;
    expect(agent.faults).toEqual([]);
  });
});
