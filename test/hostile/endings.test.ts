import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { servedSubjects } from "./subjects.js";
import { endless, flood, quiet, rest11, rpc11, watcher } from "./visits.js";
import { begin, channel, get, grpcOf, post, readAll, rest, rpcOf } from "./wire.js";

afterAll(stopAgents);

// They count the resources of the process, so no other test may run at the same time.
describe.each(servedSubjects)("many streams of $title", (subject) => {
  const { samples, answers } = subject;
  const request = { message: samples.message };

  const connections = (agent: TestAgent): Promise<number> =>
    new Promise((resolve, reject) =>
      agent.server.getConnections((error, count) =>
        error === null ? resolve(count) : reject(error),
      ),
    );

  /** Handles that keep the process alive, by kind. */
  const handles = () => {
    const counts: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };

  /** Makes a stream over one of the HTTP bindings, and leaves every other one early. */
  const stream = async (agent: TestAgent, index: number) => {
    const [overRpc, early] = [index % 4 < 2, index % 2 === 1];
    if (early) {
      const socket = (overRpc ? rpc11 : rest11)(agent, "SendStreamingMessage");
      await once(socket, "data");
      socket.destroy();
    } else if (overRpc) await post(agent, "/rpc", rpcOf(subject, "SendStreamingMessage", request));
    else await rest(agent, "SendStreamingMessage", request);
  };

  it("many streams leave no resources behind: two hundred in sequence, fifty at once, and half of them left early", async () => {
    const live = new Set<AbortSignal>();
    const warnings: unknown[] = [];
    process.on("warning", (warning) => warnings.push(warning));
    const agent = await startAgent(subject, {
      async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
        live.add(signal);
        try {
          yield answers.task(samples.task("t1"));
          for (let count = 0; count < 3; count++, await delay(1)) yield answers.working;
        } finally {
          live.delete(signal);
        }
      },
    });
    const left = () =>
      vi.waitFor(async () => expect([await connections(agent), live.size]).toEqual([0, 0]));
    await stream(agent, 2);
    await left();
    const before = handles();
    const excess = () => {
      const after = handles();
      return ["Timeout", "TCPSocketWrap", "Immediate"].filter(
        (kind) => (after[kind] ?? 0) > (before[kind] ?? 0),
      );
    };
    for (let index = 0; index < 200; index++) await stream(agent, index);
    await Promise.all(Array.from({ length: 50 }, (_, index) => stream(agent, index)));
    await left();
    // Cleaning up takes some turns of the event loop, and no time.
    for (let turns = 0; turns < 1_000 && excess().length > 0; turns++) await turn();
    expect(excess()).toEqual([]);
    expect(agent.faults).toEqual([]);
    expect(warnings).toEqual([]);
    process.removeAllListeners("warning");
  });

  it("many streams over gRPC leave no resources behind", async () => {
    const { seen, watch } = watcher();
    const agent = await startAgent(subject, {
      sendStreamingMessage: endless(subject, seen, watch, 1),
    });
    const client = channel(agent);
    const visit = async () => {
      const call = begin(client, subject, grpcOf(subject, "SendStreamingMessage", request));
      call.on("error", () => undefined);
      await once(call, "data");
      call.cancel();
    };
    for (let index = 0; index < 100; index++) await visit();
    await Promise.all(Array.from({ length: 50 }, visit));
    await vi.waitFor(() => expect(seen).toMatchObject({ begun: 150, aborted: 150, returned: 150 }));
    client.close();
    expect(agent.faults).toEqual([]);
  });
});

describe.concurrent.each(servedSubjects)("a server of $title that closes", (subject) => {
  const { samples, answers, base } = subject;

  it("the server finishes running calls, and nothing keeps its process alive", async () => {
    let close = (): void => undefined;
    const closing = new Promise<void>((resolve) => (close = resolve));
    const agent = await startAgent(subject, {
      async *sendStreamingMessage() {
        yield answers.task(samples.task("t1"));
        await closing;
        yield answers.completed;
      },
    });
    const answer = rest(agent, "SendStreamingMessage", { message: samples.message });
    await get(agent, `${base}/tasks/t1`);
    const closed = new Promise((resolve) => agent.server.close(resolve));
    close();
    expect((await answer).text).toContain("TASK_STATE_COMPLETED");
    expect(await closed).toBeUndefined();
  });

  it("the server finishes running calls over gRPC", async () => {
    const agent = await startAgent(subject);
    const client = channel(agent);
    const call = quiet(begin(client, subject, grpcOf(subject, "GetTask", { id: "t1" })));
    await once(call, "end");
    client.close();
    expect(await agent.stopGrpc()).toBeUndefined();
  });

  it("the server ends its streams if it drops its connections", async () => {
    const { seen, sendStreamingMessage } = flood(subject);
    const agent = await startAgent(subject, { sendStreamingMessage });
    const socket = rest11(agent, "SendStreamingMessage");
    await once(socket, "data");
    agent.server.closeAllConnections();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
  });

  it("the server closes a silent connection", async () => {
    const agent = await startAgent(subject, {}, { http: { headersTimeout: 100 } });
    const silent = connect(agent.port, "127.0.0.1");
    silent.write("POST /rpc HTTP/1.1\r\nhost:");
    expect(await readAll(silent)).toMatch(/^HTTP\/1\.1 408 /);
  });
});
