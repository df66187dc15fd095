import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { A2AClient, SendMessageRequest } from "../../../generated/1.0/index.js";
import { encodeSendMessageRequest } from "../../../generated/1.0/protobuf.js";
import type { Child } from "./child.js";
import type { Pace } from "./protocol.js";

/** The transports that are put under load. */
export const transports = ["jsonrpc", "rest", "grpc", "grpc-together"] as const;

/** One of {@link transports}. */
export type TransportName = (typeof transports)[number];

/**
 * How a stream ends: by itself, by a signal, because its reader leaves the loop, or because its
 * connection breaks.
 */
export type Ending = "whole" | "aborted" | "left" | "broken";

/** Outcome of a stream. */
export interface StreamResult {
  readonly ending: Ending;
  readonly events: number;
  /** The failure, if any. */
  readonly problem?: string;
}

/** The request of a stream that goes at a pace. */
export function streamRequest({ events, everyMs }: Pace): SendMessageRequest {
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "count" }] };
  return { message, metadata: { events, everyMs } };
}

/**
 * Reads a stream and checks that its events come in order, and that none is lost; kills it after
 * `killAfter` of them.
 */
export async function readStream(
  client: A2AClient,
  pace: Pace,
  ending: Exclude<Ending, "broken">,
  killAfter: number,
): Promise<StreamResult> {
  const controller = new AbortController();
  let next = -1;
  const result = (problem?: string): StreamResult => ({
    ending,
    events: next,
    ...(problem !== undefined && { problem }),
  });
  try {
    for await (const event of client.sendStreamingMessage(streamRequest(pace), {
      signal: controller.signal,
    })) {
      const sequence = next === -1 ? event.task && -1 : event.statusUpdate?.metadata?.["sequence"];
      if (sequence !== next)
        return result(`event ${JSON.stringify(sequence)} came where ${next} was due`);
      next += 1;
      if (next < killAfter) continue;
      if (ending === "left") return result();
      if (ending === "aborted") controller.abort();
    }
  } catch (error) {
    if (ending === "aborted" && controller.signal.aborted) return result();
    return result(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return result(
    next === pace.events ? undefined : `it ended after ${next} of ${pace.events} events`,
  );
}

/** Returns the address for a transport, if it is gRPC. */
export function grpcAddressOf(
  transport: TransportName,
  { grpcUrl, togetherUrl }: Child,
): string | undefined {
  if (transport === "grpc-together") return togetherUrl;
  return transport === "grpc" ? grpcUrl : undefined;
}

/** Starts a stream over a separate connection, which is cut after some time without notice. */
export async function breakStream(
  transport: TransportName,
  child: Child,
  pace: Pace,
  afterMs: number,
): Promise<StreamResult> {
  const { url } = child;
  const request = streamRequest(pace);
  let received = 0;
  const grpcAddress = grpcAddressOf(transport, child);
  if (grpcAddress !== undefined) {
    const session = connectHttp2(`http://${grpcAddress}`);
    session.on("error", () => undefined);
    const path = "/lf.a2a.v1.A2AService/SendStreamingMessage";
    const headers = { "content-type": "application/grpc", te: "trailers", "a2a-version": "1.0" };
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    stream.on("error", () => undefined).on("data", () => (received += 1));
    const bytes = encodeSendMessageRequest(request);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.length, 1);
    stream.end(Buffer.concat([head, bytes]));
    await delay(afterMs);
    session.destroy();
  } else {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined).on("data", () => (received += 1));
    await once(socket, "connect");
    const envelope = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: request };
    const body = JSON.stringify(transport === "rest" ? request : envelope);
    const path = transport === "rest" ? "/message:stream" : "/rpc";
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    await delay(afterMs);
    socket.destroy();
  }
  const problem = received === 0 ? "it was cut before anything came" : undefined;
  return { ending: "broken", events: received, ...(problem !== undefined && { problem }) };
}
