import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonRpcHandler } from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import type { ServerInterceptor } from "../../../../../library/runtime/server/context.js";
import type { CoreOptions } from "../../../../../library/runtime/server/hooks.js";
import {
  errors,
  eventsOf,
  httpRequest,
  jsonOf,
  sampleCore,
  type Note,
  type NoteService,
} from "./server-sample.js";

const note: Note = { id: "n1", text: "hello" };

const forgetful: ServerInterceptor = {
  unary(call, next) {
    void next(call);
    return undefined as never;
  },
};

async function* eventsLike(...events: unknown[]): AsyncGenerator {
  yield* events;
}

async function send(
  method: string,
  service: NoteService,
  interceptors: readonly ServerInterceptor[],
  options: CoreOptions = {},
) {
  const core = sampleCore(service, { options: { ...options, interceptors } });
  const body = { jsonrpc: "2.0", id: 1, method, params: { id: "n1" } };
  const response = await jsonRpcHandler(core)(httpRequest("POST", "/", body));
  return response ?? expect.unreachable("no response");
}

describe("an interceptor of the server", () => {
  it("an interceptor wraps unary calls, and the first interceptor is the outermost", async () => {
    const seen: string[] = [];
    const named = (name: string): ServerInterceptor => ({
      async unary(call, next) {
        seen.push(`${name} before ${call.operation.name}`);
        const response = await next(call);
        seen.push(`${name} after ${JSON.stringify(response)}`);
        return response;
      },
    });
    const response = await send("GetNote", { getNote: () => note }, [named("a"), {}, named("b")]);
    expect(await jsonOf(response)).toMatchObject({ result: note });
    const after = JSON.stringify(note);
    expect(seen).toEqual([
      "a before GetNote",
      "b before GetNote",
      `b after ${after}`,
      `a after ${after}`,
    ]);
  });

  it("an interceptor may change the request and respond instead of the service", async () => {
    const getNote = vi.fn(({ id = "" }: { id?: string }) => ({ id, text: "" }));
    const other: ServerInterceptor = {
      unary: (call, next) => next({ ...call, request: { id: "n2" } }),
    };
    expect(await jsonOf(await send("GetNote", { getNote }, [other]))).toMatchObject({
      result: { id: "n2" },
    });
    const cached: ServerInterceptor = { unary: () => Promise.resolve(note) };
    expect(await jsonOf(await send("GetNote", { getNote }, [cached]))).toMatchObject({
      result: note,
    });
    expect(getNote).toHaveBeenCalledOnce();
  });

  it("an interceptor sees errors of the service and may throw another error", async () => {
    const thrown: unknown[] = [];
    const fault = new TypeError("inner");
    const getNote = (): never => {
      throw fault;
    };
    const watcher: ServerInterceptor = {
      async unary(call, next) {
        try {
          return await next(call);
        } catch (error) {
          thrown.push(error);
          throw new errors.permissionDenied("not today");
        }
      },
    };
    expect(await jsonOf(await send("GetNote", { getNote }, [watcher]))).toMatchObject({
      error: { message: "not today" },
    });
    expect(thrown).toEqual([fault]);
  });

  it("an interceptor sees the error for an invalid response, which is reported once", async () => {
    const onError = vi.fn();
    const reasons: unknown[] = [];
    const watcher: ServerInterceptor = {
      unary: (call, next) =>
        next(call).catch((error: unknown) => {
          reasons.push(error);
          throw error;
        }),
    };
    await send("GetNote", { getNote: () => 7 }, [watcher], { onError });
    expect(reasons).toMatchObject([{ reason: "INVALID_RESPONSE" }]);
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each<[string, ServerInterceptor, object]>([
    [
      "returns nothing",
      { unary: (call, next) => next(call).then(() => undefined) },
      { code: -32603 },
    ],
    ["does not return the response", forgetful, { code: -32603 }],
    ["returns an invalid response", { unary: () => Promise.resolve({ id: 7 }) }, { code: -32006 }],
    ["returns no stream", { stream: (() => undefined) as never }, { code: -32603 }],
    ["returns an invalid stream", { stream: () => eventsLike(undefined) }, { code: -32006 }],
  ])(
    "an interceptor that %s causes an internal error, which is reported once",
    async (_, interceptor, error) => {
      const onError = vi.fn();
      const getNote = vi.fn(() => note);
      const method = interceptor.stream === undefined ? "GetNote" : "WatchNote";
      const response = await send(
        method,
        { getNote, watchNote: () => eventsLike(note) },
        [interceptor],
        { onError },
      );
      expect(await jsonOf(response)).toMatchObject({ error });
      expect(onError).toHaveBeenCalledOnce();
      expect(getNote.mock.calls.length).toBeLessThan(2);
    },
  );

  it("an interceptor may ignore the promise of a call that fails later without ending the process", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const dropping: ServerInterceptor = {
      unary: (call, next) => (void next(call), Promise.resolve(note)),
    };
    const getNote = (): Promise<never> => Promise.reject(new Error("dropped"));
    expect(await jsonOf(await send("GetNote", { getNote }, [{}, dropping, {}]))).toMatchObject({
      result: note,
    });
    // Rejections are noticed once the queue of promises is empty.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("an interceptor wraps streams and sees every event", async () => {
    const seen: unknown[] = [];
    const watcher: ServerInterceptor = {
      async *stream(call, next) {
        for await (const event of next(call)) {
          seen.push(event);
          yield event;
        }
        seen.push("end");
      },
    };
    const watchNote = async function* (): AsyncGenerator<Note> {
      yield note;
      yield { ...note, text: "again" };
    };
    const results = (await eventsOf(await send("WatchNote", { watchNote }, [watcher, {}]))) as {
      result: unknown;
    }[];
    const events = [note, { ...note, text: "again" }];
    expect(results.map(({ result }) => result)).toEqual(events);
    expect(seen).toEqual([...events, "end"]);
  });

  it("an interceptor may refuse a stream before its first event, and ends it with an error after it", async () => {
    const watchNote = async function* (): AsyncGenerator<Note> {
      yield note;
      yield { id: 7 } as never;
    };
    const refusing: ServerInterceptor = {
      stream() {
        throw new errors.permissionDenied();
      },
    };
    expect((await send("WatchNote", { watchNote }, [refusing])).status).toBe(403);
    const passing: ServerInterceptor = { stream: (call, next) => next(call) };
    expect(await eventsOf(await send("WatchNote", { watchNote }, [passing]))).toMatchObject([
      { result: note },
      { error: { code: -32006 } },
    ]);
  });

  it("an interceptor lets the service stop if the caller has disconnected while an event was awaited", async () => {
    const returned = vi.fn(() => Promise.resolve({ done: true, value: undefined }));
    const signals: AbortSignal[] = [];
    const watchNote: NoteService["watchNote"] = (_, { signal }) => {
      signals.push(signal);
      let asked = 0;
      const next = () =>
        asked++ === 0
          ? Promise.resolve({ done: false, value: note })
          : new Promise(() => undefined);
      return { [Symbol.asyncIterator]: () => ({ next, return: returned }) };
    };
    const generator: ServerInterceptor = {
      async *stream(call, next) {
        yield* next(call);
      },
    };
    const { body } = await send("WatchNote", { watchNote }, [generator]);
    if (typeof body !== "object") return expect.unreachable("no stream");
    const events = body[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    await events.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(returned).toHaveBeenCalledOnce();
    expect(signals[0]?.aborted).toBe(true);
  });
});
