import type { WebSocketServer } from "ws";
import {
  type Agent,
  callHandler,
  toJsonRpcError,
  UnsupportedOperationError,
} from "../../generated/1.0/index.js";
import { binding, liveMethod, type Request, type Response, type StreamRequest } from "./frames.js";

/** Maximum number of calls that a connection makes at the same time. */
const maxCalls = 100;

/** Serves an agent over the connections of a WebSocket server. */
export function serveWebSocket(server: WebSocketServer, agent: Agent): void {
  const handle = callHandler(agent, binding);
  server.on("connection", (socket, { headers: { authorization = "" } }) => {
    const calls = new Map<string, AbortController>();

    // Waits until the frame is written: a caller that does not read must not fill the memory.
    const send = (frame: Response) =>
      new Promise<void>((done) => socket.send(JSON.stringify(frame), () => done()));

    async function* results(
      { headers }: Request,
      operation: string,
      request: unknown,
      signal: AbortSignal,
    ) {
      const reply = await handle({
        operation,
        request,
        headers: { authorization, ...headers },
        signal,
      });
      if (reply.events === undefined) yield reply.response;
      else yield* reply.events;
    }

    /**
     * Yields the events of a task from its first message to its end, although the caller sends
     * further messages.
     */
    async function* live(call: Request, signal: AbortSignal) {
      const { message } = call.params as StreamRequest;
      let id: string | undefined;
      for await (const event of results(call, "SendStreamingMessage", { message }, signal)) {
        id ??= (event as { task?: { id: string } }).task?.id;
        yield event;
      }
      // The stream of a message ends when the task waits for its caller; a subscription ends with
      // the task.
      if (id === undefined) return;
      try {
        yield* results(call, "SubscribeToTask", { id }, signal);
      } catch (error) {
        if (!(error instanceof UnsupportedOperationError)) throw error; // The task has ended.
      }
    }

    async function begin(call: Request, { signal }: AbortController): Promise<void> {
      const { id, method, params } = call;
      try {
        const all =
          method === liveMethod ? live(call, signal) : results(call, method, params, signal);
        for await (const result of all) await send({ id, result });
        await send({ id, done: true });
      } catch (error) {
        await send({ id, error: toJsonRpcError(error) });
      }
      calls.delete(id);
    }

    /**
     * Posts a further message of a live call. Its events are events of the call, so its response is
     * not sent.
     */
    async function post(call: Request, controller: AbortController): Promise<void> {
      const { taskId, message } = call.params as StreamRequest;
      const request = {
        message: { taskId, ...message },
        configuration: { returnImmediately: true },
      };
      try {
        await results(call, "SendMessage", request, controller.signal).next();
      } catch (error) {
        await send({ id: call.id, error: toJsonRpcError(error) });
        controller.abort();
      }
    }

    socket.on("message", (data) => {
      const call = requestOf((data as Buffer).toString("utf8"));
      if (call === undefined)
        return socket.close(1007, "A frame must be a JSON object with an id and a method");
      const running = calls.get(call.id);
      if (call.cancel) return running?.abort();
      if (running !== undefined) return void post(call, running);
      if (calls.size >= maxCalls) return socket.close(1008, "Too many calls");
      const controller = new AbortController();
      calls.set(call.id, controller);
      void begin(call, controller);
    });
    socket.on("close", () => calls.forEach((controller) => controller.abort()));
    socket.on("error", () => socket.terminate());
  });
}

function requestOf(text: string): Request | undefined {
  try {
    const frame = JSON.parse(text) as Partial<Request> | null;
    return typeof frame?.id === "string" && typeof frame.method === "string"
      ? (frame as Request)
      : undefined;
  } catch {
    return undefined;
  }
}
