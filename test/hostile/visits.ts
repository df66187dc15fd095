import type { ClientReadableStream } from "@grpc/grpc-js";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { CallContext } from "../../generated/1.0/server/index.js";
import type { TestAgent } from "./agent.js";
import type { Subject } from "./subject.js";
import { begin, channel, grpcOf, headOf, open, rpcOf, webPost } from "./wire.js";

/** How a caller comes, and how it goes without a word. */
export interface Visit {
  readonly leave: () => void;
}

type Visiting = (agent: TestAgent, operation: "SendStreamingMessage" | "SendMessage") => Visit;

const requestOf = ({ subject }: TestAgent): object => ({ message: subject.samples.message });

/** Sends a request over a bare connection and leaves the answer unread. */
export function request11(agent: TestAgent, path: string, body: unknown): Socket {
  const text = JSON.stringify(body);
  return open(agent, headOf(agent, path, `content-length: ${Buffer.byteLength(text)}`) + text);
}

/** Sends the request of an operation over HTTP+JSON on a bare connection. */
export function rest11(
  agent: TestAgent,
  operation: "SendStreamingMessage" | "SendMessage",
): Socket {
  const { path, body } = agent.subject.operations[operation].place({ ...requestOf(agent) });
  return request11(agent, path, body);
}

/** Sends the request of an operation over JSON-RPC on a bare connection. */
export function rpc11(agent: TestAgent, operation: "SendStreamingMessage" | "SendMessage"): Socket {
  return request11(agent, "/rpc", rpcOf(agent.subject, operation, requestOf(agent)));
}

/** Callers that leave, by their transport. */
export const visits: Readonly<Record<string, Visiting>> = {
  "JSON-RPC"(agent, operation) {
    const socket = rpc11(agent, operation);
    return { leave: () => socket.destroy() };
  },
  "JSON-RPC, with a reset"(agent, operation) {
    const socket = rpc11(agent, operation);
    return { leave: () => socket.resetAndDestroy() };
  },
  "HTTP+JSON"(agent, operation) {
    const socket = rest11(agent, operation);
    return { leave: () => socket.destroy() };
  },
  "Web requests"(agent, operation) {
    const controller = new AbortController();
    const { signal } = controller;
    const answer = agent.fetch(
      webPost(agent, "/rpc", rpcOf(agent.subject, operation, requestOf(agent)), { signal }),
    );
    void answer.then((response) => response.text()).catch(() => undefined);
    return { leave: () => controller.abort() };
  },
  "gRPC, canceled"(agent, operation) {
    const client = channel(agent);
    const call = quiet(
      begin(client, agent.subject, grpcOf(agent.subject, operation, requestOf(agent))),
    );
    return {
      leave() {
        call.cancel();
        client.close();
      },
    };
  },
  "gRPC, past its deadline"(agent, operation) {
    const client = channel(agent);
    const ended = new Promise<void>((resolve) => {
      // Connecting takes most of the time, and must not count. The rest is long enough for the call
      // to reach the service first, also on a busy machine.
      client.waitForReady(Infinity, () => {
        const sent = {
          ...grpcOf(agent.subject, operation, requestOf(agent)),
          deadline: Date.now() + 2_000,
        };
        quiet(begin(client, agent.subject, sent)).on("status", () => {
          resolve();
        });
      });
    });
    return { leave: () => void ended.then(() => client.close()) };
  },
};

/** Reads a call and does not mind how it ends. */
export function quiet<T extends ClientReadableStream<Buffer>>(call: T): T {
  call.on("data", () => undefined).on("error", () => undefined);
  return call;
}

/** Data of a caller that a service received. */
export interface Seen {
  begun: number;
  /** Number of events that a stream was asked for. */
  events: number;
  aborted: number;
  returned: number;
}

/** Watches the callers of a service. */
export function watcher(): { readonly seen: Seen; readonly watch: (context: CallContext) => void } {
  const seen = { begun: 0, events: 0, aborted: 0, returned: 0 };
  const watch = (context: CallContext) => {
    seen.begun++;
    context.signal.addEventListener("abort", () => seen.aborted++);
  };
  return { seen, watch };
}

/** A stream that works until its caller leaves, every so many milliseconds. */
export function endless(
  { samples, answers }: Subject,
  seen: Seen,
  watch: (context: CallContext) => void,
  pause = 2,
) {
  return async function* (_: unknown, context: CallContext) {
    watch(context);
    try {
      for (let event = answers.task(samples.task("t1")); ; event = answers.working) {
        seen.events++;
        yield event;
        await delay(pause);
      }
    } finally {
      seen.returned++;
    }
  };
}

/** A stream without end of large events, and how many were asked for. */
export function flood({ samples, answers }: Subject) {
  const seen = { produced: 0, returned: 0, aborted: 0 };
  const event = answers.artifact([samples.textPart("x".repeat(100_000))]);
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
