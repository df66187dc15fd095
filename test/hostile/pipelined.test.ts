import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { v10 } from "./subjects.js";
import { headOf, open, rpcOf } from "./wire.js";

const { samples, answers } = v10;
const ahead = 50;

/** Events of the calls, in order. */
let events: string[];
let wake: () => void;

function happens(event: string) {
  events.push(event);
  wake();
}

async function until(event: string) {
  while (!events.includes(event)) await new Promise<void>((resolve) => (wake = resolve));
}

const methods = {
  sendMessage({ message }: { readonly message: { readonly messageId: string } }) {
    happens(`sent ${message.messageId}`);
    return answers.message(message);
  },
  // Ends only with its caller.
  async *sendStreamingMessage(_request: unknown, { signal }: CallContext) {
    happens("stream begun");
    try {
      yield answers.task(samples.task("t"));
      await once(signal, "abort");
    } finally {
      happens("stream ended");
    }
  },
};

let agent: TestAgent;
let socket: Socket;

beforeEach(async () => {
  [events, wake] = [[], () => undefined];
  agent = await startAgent(v10, methods);
  socket = open(agent);
});

afterEach(async () => {
  socket.destroy();
  await stopAgents();
});

function requestOf(operation: "SendMessage" | "SendStreamingMessage", messageId: string) {
  const body = JSON.stringify(
    rpcOf(v10, operation, { message: { ...samples.message, messageId } }),
  );
  return headOf(agent, "/rpc", `content-length: ${String(body.length)}`) + body;
}

describe("pipelined requests on one connection", () => {
  it("pipelined requests are served in order", async () => {
    socket.write(
      Array.from({ length: ahead }, (_, index) => requestOf("SendMessage", String(index))).join(""),
    );
    await until(`sent ${String(ahead - 1)}`);
    expect(events).toEqual(Array.from({ length: ahead }, (_, index) => `sent ${String(index)}`));
  });

  it("pipelined requests leave no resources behind if the connection closes before they are served", async () => {
    socket.write(
      requestOf("SendStreamingMessage", "m") + requestOf("SendMessage", "later").repeat(ahead),
    );
    await until("stream begun");
    socket.destroy();
    await until("stream ended");
    agent.server.close();
    await once(agent.server, "close");
    expect(events).toEqual(["stream begun", "stream ended"]);
  });

  it("too many pipelined requests close the connection", async () => {
    socket.write(requestOf("SendStreamingMessage", "m"));
    await until("stream begun");
    socket.write(requestOf("SendMessage", "later").repeat(101));
    await until("stream ended");
    expect(events).toEqual(["stream begun", "stream ended"]);
  });
});
