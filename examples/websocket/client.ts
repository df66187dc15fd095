import { WebSocket } from "ws";
import {
  type Call,
  fromJsonRpcError,
  type Message,
  type StreamResponse,
  type Transport,
  TransportError,
  type TransportFactory,
} from "../../generated/1.0/index.js";
import { binding, liveMethod, type Request, type Response, type StreamRequest } from "./frames.js";

/** Receives the frames of a call; without a frame, the connection is lost. */
type Receiver = (frame?: Response) => void;

/** Returns a factory for transports over WebSocket, for the option `transports` of `connect`. */
export function webSocket(): TransportFactory {
  return { binding, open: ({ url }) => new WebSocketTransport(url) };
}

/** Carries the calls of a client over one connection. */
export class WebSocketTransport implements Transport {
  readonly binding: string = binding;
  readonly #url: string;
  readonly #calls = new Map<string, Receiver>();
  #socket: WebSocket | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async unary({ operation: { name }, request, headers, signal }: Call): Promise<unknown> {
    let response: unknown;
    for await (const result of this.#results({ method: name, params: request, headers }, signal))
      response = result;
    return response;
  }

  stream({ operation: { name }, request, headers, signal }: Call): AsyncIterable<unknown> {
    return this.#results({ method: name, params: request, headers }, signal);
  }

  /**
   * Begins a live call: `events` are the events of the task, and `send` adds messages to the task.
   */
  live(message: Message, headers: Readonly<Record<string, string>> = { "a2a-version": "1.0" }) {
    const [id, method] = [crypto.randomUUID(), liveMethod];
    const first: StreamRequest = { message };
    const events = this.#results(
      { method, params: first, headers },
      undefined,
      id,
    ) as AsyncIterable<StreamResponse>;
    const send = async (taskId: string, next: Message) =>
      this.#send({
        id,
        method,
        params: { taskId, message: next } satisfies StreamRequest,
        headers,
      });
    return { events, send };
  }

  close(): void {
    this.#socket?.close();
  }

  async *#results(
    call: Omit<Request, "id">,
    signal?: AbortSignal,
    id: string = crypto.randomUUID(),
  ) {
    const frames: (Response | undefined)[] = [];
    let wake = (): void => undefined;
    const abort = (): void => wake();
    this.#calls.set(id, (frame) => {
      frames.push(frame);
      wake();
    });
    signal?.addEventListener("abort", abort);
    let isOver = false;
    try {
      await this.#send({ ...call, id });
      for (;;) {
        while (frames.length === 0 && signal?.aborted !== true)
          await new Promise<void>((resolve) => (wake = resolve));
        signal?.throwIfAborted();
        const frame = frames.shift();
        isOver = frame?.done === true || frame?.error !== undefined || frame === undefined;
        if (frame === undefined)
          throw new TransportError("The connection is lost", { url: this.#url });
        if (frame.error !== undefined) throw fromJsonRpcError(frame.error);
        if (frame.done) return;
        yield frame.result;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#calls.delete(id);
      if (!isOver)
        this.#socket?.send(JSON.stringify({ ...call, params: undefined, id, cancel: true }));
    }
  }

  async #send(frame: Request): Promise<void> {
    const socket = (this.#socket ??= this.#open());
    if (socket.readyState === WebSocket.CONNECTING)
      await new Promise((resolve) => socket.once("open", resolve).once("close", resolve));
    if (socket.readyState !== WebSocket.OPEN)
      throw new TransportError("The agent is unreachable", { url: this.#url, unsent: true });
    socket.send(JSON.stringify(frame));
  }

  #open(): WebSocket {
    const socket = new WebSocket(this.#url);
    socket.on("message", (data) => {
      const frame = JSON.parse((data as Buffer).toString("utf8")) as Response;
      this.#calls.get(frame.id)?.(frame);
    });
    socket.on("error", () => undefined); // The event `close` follows.
    socket.on("close", () => {
      this.#socket = undefined;
      this.#calls.forEach((receive) => receive());
    });
    return socket;
  }
}
