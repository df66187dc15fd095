import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { A2AService } from "../../generated/1.0/index.js";
import { createAgent } from "../../generated/1.0/server/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { card, taskOf } from "./sample.js";

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
const ahead = 50;

/** What has happened to the calls, in order. */
let events: string[];
let wake: () => void;

function happens(event: string): void {
  events.push(event);
  wake();
}

async function until(event: string): Promise<void> {
  while (!events.includes(event)) await new Promise<void>((resolve) => (wake = resolve));
}

const service: A2AService = {
  sendMessage({ message: sent }) {
    happens(`sent ${sent.messageId}`);
    return { message: sent };
  },
  // Ends only with its caller.
  async *sendStreamingMessage(_request, { signal }) {
    happens("stream begun");
    try {
      yield { task: taskOf("t") };
      await once(signal, "abort");
    } finally {
      happens("stream ended");
    }
  },
};

const server = createServer(nodeListener(createAgent({ card, service })));
let socket: Socket;

beforeEach(async () => {
  [events, wake] = [[], () => undefined];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
});

afterEach(async () => {
  socket.destroy();
  if (!server.listening) return;
  server.close();
  await once(server, "close");
});

function requestOf(method: string, messageId: string): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message: { ...message, messageId } } });
  const head = "POST / HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n";
  return `${head}content-length: ${String(body.length)}\r\n\r\n${body}`;
}

describe("requests that a caller sends ahead on one connection", () => {
  it("are served in turn", async () => {
    socket.write(Array.from({ length: ahead }, (_, index) => requestOf("SendMessage", String(index))).join(""));
    await until(`sent ${String(ahead - 1)}`);
    expect(events).toEqual(Array.from({ length: ahead }, (_, index) => `sent ${String(index)}`));
  });

  it("leave nothing behind when the connection closes before their turn", async () => {
    socket.write(requestOf("SendStreamingMessage", "m") + requestOf("SendMessage", "later").repeat(ahead));
    await until("stream begun");
    socket.destroy();
    await until("stream ended");
    server.close();
    await once(server, "close");
    expect(events).toEqual(["stream begun", "stream ended"]);
  });

  it("close the connection when there are too many of them", async () => {
    socket.write(requestOf("SendStreamingMessage", "m"));
    await until("stream begun");
    socket.write(requestOf("SendMessage", "later").repeat(101));
    await until("stream ended");
    expect(events).toEqual(["stream begun", "stream ended"]);
  });
});
