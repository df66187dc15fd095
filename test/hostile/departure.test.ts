import type { ClientReadableStream } from "@grpc/grpc-js";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { encodeGetTaskRequest, encodeSendMessageRequest } from "../../generated/1.0/protobuf.js";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, statusOf, stopAgents, taskOf, type TestAgent } from "./agent.js";
import { expectAlive, message } from "./everywhere.js";
import { begin, channel, get, metadataOf, open, post, readAll, rpc } from "./wire.js";

afterEach(stopAgents);

const request = { message };
const bytes = encodeSendMessageRequest(request as never);

/** Sends a request over a bare connection and leaves the answer unread. */
function request11(agent: TestAgent, path: string, body: unknown): Socket {
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\ncontent-type: application/json`;
  return open(agent, `${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** How a caller comes, and how it goes without a word. */
interface Visit {
  readonly leave: () => void;
}

const visits: Record<string, (agent: TestAgent, operation: "SendStreamingMessage" | "SendMessage") => Visit> = {
  "JSON-RPC"(agent, operation) {
    const socket = request11(agent, "/rpc", rpc(operation, request));
    return { leave: () => socket.destroy() };
  },
  "JSON-RPC, with a reset"(agent, operation) {
    const socket = request11(agent, "/rpc", rpc(operation, request));
    return { leave: () => socket.resetAndDestroy() };
  },
  "HTTP+JSON"(agent, operation) {
    const socket = request11(agent, operation === "SendMessage" ? "/message:send" : "/message:stream", request);
    return { leave: () => socket.destroy() };
  },
  "Web requests"(agent, operation) {
    const controller = new AbortController();
    const init = {
      method: "POST",
      body: JSON.stringify(rpc(operation, request)),
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      signal: controller.signal,
    };
    const answer = agent.fetch(new Request("http://agent/rpc", init));
    void answer.then((response) => response.body?.getReader().read()).catch(() => undefined);
    return {
      leave() {
        controller.abort();
        void answer.then((response) => response.body?.cancel()).catch(() => undefined);
      },
    };
  },
  "gRPC, canceled"(agent, operation) {
    const client = channel(agent);
    const call = quiet(begin(client, operation, bytes));
    return {
      leave() {
        call.cancel();
        client.close();
      },
    };
  },
  "gRPC, past its deadline"(agent, operation) {
    const client = channel(agent);
    const call = quiet(begin(client, operation, bytes, metadataOf(), Date.now() + 150));
    return { leave: () => void call.on("status", () => client.close()) };
  },
};

function quiet<T extends ClientReadableStream<Buffer>>(call: T): T {
  call.on("data", () => undefined).on("error", () => undefined);
  return call;
}

/** What a service saw of its caller. */
function watcher() {
  const seen = { begun: 0, aborted: 0, returned: 0 };
  const watch = (context: CallContext): void => {
    seen.begun++;
    context.signal.addEventListener("abort", () => seen.aborted++);
  };
  return { seen, watch };
}

describe.each(Object.entries(visits))("a caller that leaves, over %s,", (_, visit) => {
  it("ends a stream in the middle: the signal fires and the generator returns", async () => {
    const { seen, watch } = watcher();
    const agent = await startAgent({
      async *sendStreamingMessage(_: unknown, context: CallContext) {
        watch(context);
        try {
          for (yield { task: taskOf("t1") }; ; await delay(2)) yield statusOf("TASK_STATE_WORKING");
        } finally {
          seen.returned++;
        }
      },
    });
    const { leave } = visit(agent, "SendStreamingMessage");
    await vi.waitFor(() => expect(seen.begun).toBe(1));
    await delay(30);
    leave();
    await vi.waitFor(() => expect(seen).toEqual({ begun: 1, aborted: 1, returned: 1 }));
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  it("ends a source that waits for its first event, and one that waits for a later one", async () => {
    for (const events of [0, 2]) {
      const { seen, watch } = watcher();
      const agent = await startAgent({
        sendStreamingMessage(_: unknown, context: CallContext) {
          watch(context);
          let left = events;
          let finish: ((result: IteratorResult<unknown>) => void) | undefined;
          return {
            [Symbol.asyncIterator]: () => ({
              next: () =>
                left-- > 0
                  ? Promise.resolve({ done: false, value: { task: taskOf("t1") } })
                  : new Promise((resolve) => (finish = resolve)),
              return() {
                seen.returned++;
                finish?.({ done: true, value: undefined });
                return Promise.resolve({ done: true, value: undefined });
              },
            }),
          };
        },
      });
      const { leave } = visit(agent, "SendStreamingMessage");
      await vi.waitFor(() => expect(seen.begun).toBe(1));
      await delay(20);
      leave();
      await vi.waitFor(() => expect(seen).toEqual({ begun: 1, aborted: 1, returned: 1 }));
      expect(agent.faults).toEqual([]);
    }
  });

  it("fires the signal of a call with one answer, and may be followed by anything", async () => {
    const { seen, watch } = watcher();
    const endings = [
      () => ({ message }),
      () => Promise.reject(new DOMException("aborted", "AbortError")),
      () => Promise.reject(new Error("too late")),
    ];
    const agent = await startAgent({
      async sendMessage(_: unknown, context: CallContext) {
        watch(context);
        await once(context.signal, "abort");
        const ending = endings[seen.returned++];
        return ending?.() ?? { message };
      },
    });
    for (const count of [1, 2, 3]) {
      const { leave } = visit(agent, "SendMessage");
      await vi.waitFor(() => expect(seen.begun).toBe(count));
      leave();
      await vi.waitFor(() => expect(seen.returned).toBe(count));
    }
    // That work ends with its signal is no fault; that something else goes wrong after it is one.
    await vi.waitFor(() => expect(agent.faults).toEqual([new Error("too late")]));
  });

  it("does not hear of a generator that fails while it is ended", async () => {
    const { seen, watch } = watcher();
    const agent = await startAgent({
      async *sendStreamingMessage(_: unknown, context: CallContext) {
        watch(context);
        try {
          for (yield { task: taskOf("t1") }; ; await delay(2)) yield statusOf("TASK_STATE_WORKING");
        } finally {
          seen.returned++;
          // eslint-disable-next-line no-unsafe-finally
          throw new Error("cannot clean up");
        }
      },
    });
    const { leave } = visit(agent, "SendStreamingMessage");
    await vi.waitFor(() => expect(seen.begun).toBe(1));
    await delay(20);
    leave();
    await vi.waitFor(() => expect(agent.faults).toEqual([new Error("cannot clean up")]));
    await expectAlive(agent);
  });
});

/** A stream without end of large events, and how many were asked for. */
function flood() {
  const seen = { produced: 0, returned: 0, aborted: 0 };
  const text = "x".repeat(100_000);
  const event = { artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts: [{ text }] } } };
  async function* sendStreamingMessage(_: unknown, { signal }: CallContext) {
    signal.addEventListener("abort", () => seen.aborted++);
    try {
      for (; ; await delay(0)) {
        seen.produced++;
        yield event;
      }
    } finally {
      seen.returned++;
    }
  }
  return { seen, sendStreamingMessage };
}

/** Waits until the stream has stopped to grow, and gives its length. */
async function settled(seen: { readonly produced: number }): Promise<number> {
  for (let before = -1; before !== seen.produced || before === 0; await delay(100)) before = seen.produced;
  return seen.produced;
}

describe("a caller that never reads", () => {
  it("stops the service over HTTP, and is cut off in the end", async () => {
    const { seen, sendStreamingMessage } = flood();
    const agent = await startAgent({ sendStreamingMessage }, { node: { unreadTimeoutMs: 600 } });
    const socket = request11(agent, "/message:stream", request);
    socket.pause();
    expect(await settled(seen)).toBeLessThan(200);
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }), { timeout: 3000 });
    socket.destroy();
    await expectAlive({ ...agent });
  });

  it("stops the service over gRPC until it reads on or leaves", async () => {
    const { seen, sendStreamingMessage } = flood();
    const agent = await startAgent({ sendStreamingMessage });
    const client = channel(agent);
    const call = begin(client, "SendStreamingMessage", bytes);
    await once(
      call.on("error", () => undefined),
      "readable",
    );
    const before = await settled(seen);
    expect(before).toBeLessThan(200);
    call.on("data", () => undefined);
    await vi.waitFor(() => expect(seen.produced).toBeGreaterThan(before + 50));
    call.cancel();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
    client.close();
  });

  it("stops the service over Web requests from the first event on", async () => {
    const { seen, sendStreamingMessage } = flood();
    const agent = await startAgent({ sendStreamingMessage });
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    const init = { method: "POST", body: JSON.stringify(request), headers };
    const answer = await agent.fetch(new Request("http://agent/message:stream", init));
    await delay(50);
    expect(seen.produced).toBe(1);
    const reader = answer.body?.getReader();
    for (let count = 0; count < 5; count++) await reader?.read();
    await delay(50);
    expect(seen.produced).toBe(5);
    await reader?.cancel();
    expect(seen).toMatchObject({ returned: 1, aborted: 1 });
  });

  it("gets no comments either", async () => {
    const agent = await startAgent(
      {
        async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
          yield { message: { ...message, parts: [{ text: "x".repeat(8_000_000) }] } };
          await once(signal, "abort");
        },
      },
      { limits: { keepAliveMs: 5 }, node: { unreadTimeoutMs: 300 } },
    );
    const socket = request11(agent, "/message:stream", request);
    socket.pause();
    const closed = once(socket.resume().pause(), "close");
    await delay(600);
    socket.resume();
    await closed;
    expect(agent.faults).toEqual([]);
  });
});

describe("many streams", () => {
  const connections = (agent: TestAgent): Promise<number> =>
    new Promise((resolve, reject) =>
      agent.http.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );

  /** What keeps the process alive, by kind. */
  const handles = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };

  it("leave nothing behind: two hundred one after the other, fifty at once, half of them left early", async () => {
    const live = new Set<AbortSignal>();
    const warnings: unknown[] = [];
    process.on("warning", (warning) => warnings.push(warning));
    const agent = await startAgent({
      async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
        live.add(signal);
        try {
          yield { task: taskOf("t1") };
          for (let count = 0; count < 3; count++, await delay(1)) yield statusOf("TASK_STATE_WORKING");
        } finally {
          live.delete(signal);
        }
      },
    });
    await post(agent, "/message:stream", request);
    await delay(20);
    const before = handles();
    const stream = async (index: number): Promise<void> => {
      const path = index % 4 < 2 ? "/rpc" : "/message:stream";
      const body = index % 4 < 2 ? rpc("SendStreamingMessage", request) : request;
      if (index % 2 === 0) {
        await post(agent, path, body);
        return;
      }
      const socket = request11(agent, path, body);
      await once(socket, "data");
      socket.destroy();
    };
    for (let index = 0; index < 200; index++) await stream(index);
    await Promise.all(Array.from({ length: 50 }, (_, index) => stream(index)));
    await vi.waitFor(async () => expect(await connections(agent)).toBe(0));
    await delay(50);
    expect(live.size).toBe(0);
    const after = handles();
    for (const kind of ["Timeout", "TCPSocketWrap", "Immediate"]) {
      expect(after[kind] ?? 0, kind).toBeLessThanOrEqual(before[kind] ?? 0);
    }
    expect(agent.faults).toEqual([]);
    expect(warnings).toEqual([]);
    process.removeAllListeners("warning");
  });

  it("leave nothing behind over gRPC", async () => {
    const { seen, watch } = watcher();
    const agent = await startAgent({
      async *sendStreamingMessage(_: unknown, context: CallContext) {
        watch(context);
        try {
          for (yield { task: taskOf("t1") }; ; await delay(1)) yield statusOf("TASK_STATE_WORKING");
        } finally {
          seen.returned++;
        }
      },
    });
    const client = channel(agent);
    const stream = async (): Promise<void> => {
      const call = begin(client, "SendStreamingMessage", bytes);
      call.on("error", () => undefined);
      await once(call, "data");
      call.cancel();
    };
    for (let index = 0; index < 100; index++) await stream();
    await Promise.all(Array.from({ length: 50 }, stream));
    await vi.waitFor(() => expect(seen).toEqual({ begun: 150, aborted: 150, returned: 150 }));
    client.close();
    expect(agent.faults).toEqual([]);
  });
});

describe("a server that closes", () => {
  it("finishes what is under way, and nothing keeps it", async () => {
    const agent = await startAgent({
      async *sendStreamingMessage() {
        yield { task: taskOf("t1") };
        await delay(50);
        yield statusOf("TASK_STATE_COMPLETED");
      },
    });
    const answer = post(agent, "/message:stream", request);
    await get(agent, "/tasks/t1");
    const closed = new Promise((resolve) => agent.http.close(resolve));
    expect((await answer).text).toContain("TASK_STATE_COMPLETED");
    expect(await closed).toBeUndefined();
  });

  it("does so over gRPC", async () => {
    const agent = await startAgent();
    const client = channel(agent);
    const call = quiet(begin(client, "GetTask", encodeGetTaskRequest({ id: "t1" })));
    await once(call, "end");
    client.close();
    const error = await new Promise((resolve) => agent.grpcServer.tryShutdown(resolve));
    expect(error).toBeUndefined();
  });

  it("ends its streams when it drops its connections", async () => {
    const { seen, sendStreamingMessage } = flood();
    const agent = await startAgent({ sendStreamingMessage });
    const socket = request11(agent, "/message:stream", request);
    await once(socket, "data");
    agent.http.closeAllConnections();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
  });
});

describe("a connection that says nothing", () => {
  it("is closed by the server", async () => {
    const agent = await startAgent();
    agent.http.headersTimeout = 100;
    const silent = connect(agent.port, "127.0.0.1");
    silent.write("POST /rpc HTTP/1.1\r\nhost:");
    expect(await readAll(silent)).toMatch(/^HTTP\/1\.1 408 /);
  });
});
