import type { RemoteAgent } from "../client/remote-agent.js";
import { log, notify } from "../runtime/base/async.js";
import { type FetchHandler, fetchHandler } from "../runtime/http/adapters/fetch.js";
import { BodyError, type HttpRequest, type HttpResponse } from "../runtime/http/server.js";
import { A2AError } from "../runtime/protocol/error.js";
import { eventResponse } from "../runtime/server/event-body.js";
import { EventStream } from "../runtime/server/event-stream.js";
import { type AgUiEvent, EventWriter } from "./ag-ui/events.js";
import { InputError, readInput, type RunInput } from "./ag-ui/input.js";
import { callProblem, isRefusal } from "./report.js";

export type { AgUiEvent } from "./ag-ui/events.js";

/** Options for an agent behind a page with AG-UI. */
export interface AgUiOptions {
  /** Returns the headers of the calls to the agent, such as credentials of the user. */
  readonly headers?: (request: Request) => Headers | Promise<Headers>;
  /** Maximum size of a request in bytes; 4 MiB by default. A request contains all messages. */
  readonly maxBodyBytes?: number;
  /**
   * Milliseconds after which a comment is sent to keep an idle stream open; 15,000 by default, 0
   * for never.
   */
  readonly keepAliveMs?: number;
  /** Reports why the agent could not be called; by default to `console.error`. */
  readonly onError?: (error: unknown) => void | Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Returns a handler that serves an agent to pages with AG-UI, on any platform. A request is a run,
 * and its response contains the events of the run. Nothing is stored between two runs. The handler
 * contains no check of its callers.
 *
 * @example
 * export const POST = agUiHandler(remoteAgent("https://agent.example.com"));
 */
export function agUiHandler(
  remote: Pick<RemoteAgent, "ask" | "follow" | "client">,
  options: AgUiOptions = {},
): FetchHandler {
  const { maxBodyBytes = 4 * 2 ** 20, keepAliveMs = 15_000 } = options;
  const onError: NonNullable<AgUiOptions["onError"]> = options.onError ?? log;

  async function* eventsOf(
    input: RunInput,
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<AgUiEvent, void, undefined> {
    const { threadId, runId, content, resume } = input;
    yield { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
    const call = { headers: (await options.headers?.(request)) ?? {}, signal };
    const writer = new EventWriter(input);
    if (resume?.isCanceled === true) {
      const client = await remote.client();
      await client.cancelTask({ id: resume.taskId }, call).catch((error: unknown) => {
        // The task may have ended.
        if (!isRefusal(error)) throw error;
      });
      if (content.length === 0) {
        yield* writer.state(input.contextId);
        yield writer.finished({ type: "cancelled" });
        return;
      }
    }
    const taskId = resume === undefined ? input.taskId : resume.taskId;
    const contextId = input.contextId ?? threadId;
    const ids = { contextId, taskId: resume?.isCanceled === true ? undefined : taskId };
    const isQuestion = content.length > 0 || taskId === undefined;
    const answer = isQuestion
      ? remote.ask(content, { ...call, ...ids })
      : remote.follow(taskId, call);
    for await (const update of answer) yield* writer.update(update);
    yield* writer.end(await answer.result());
  }

  async function respond(request: HttpRequest, web: Request): Promise<HttpResponse> {
    const refused = refusalOf(request);
    if (refused !== undefined) return refused;
    let input: RunInput;
    try {
      input = readInput(await request.readBody(maxBodyBytes));
    } catch (error) {
      if (error instanceof InputError) return problem(400, error.message);
      if (!(error instanceof BodyError)) throw error;
      if (error.reason !== "too large") return problem(400, error.message);
      return problem(413, `The body is larger than ${String(maxBodyBytes)} bytes`);
    }
    const controller = new AbortController();
    const { signal } = controller;
    const events = new EventStream<string>(eventsOf(input, web, signal), {
      write: (event) => JSON.stringify(event),
      fail(error) {
        if (!signal.aborted && !isRefusal(error)) notify(() => onError(error));
        return new A2AError(callProblem(error));
      },
      abort() {
        controller.abort();
      },
    });
    // Ends the run even if the platform does not cancel the body.
    request.onClose(() => {
      void events.return();
    });
    const error = ({ message }: A2AError): string =>
      JSON.stringify({ type: "RUN_ERROR", message, code: "call-failed" });
    return eventResponse(events, {}, { around: ["", ""], error, keepAliveMs });
  }

  return (request, connection) =>
    fetchHandler((parts: HttpRequest) => respond(parts, request))(request, connection);
}

/**
 * Returns the response to a request with another method or media type. Forms of other origins can
 * only send other media types.
 */
function refusalOf({ method, headers }: HttpRequest): HttpResponse | undefined {
  if (method !== "POST") return problem(405, "The method must be POST", { allow: "POST" });
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return type === "application/json"
    ? undefined
    : problem(415, "The `content-type` must be application/json");
}

function problem(status: number, message: string, more: Headers = {}): HttpResponse {
  const headers = { "content-type": "application/json", ...more };
  return { status, headers, body: JSON.stringify({ message }) };
}
