import { describe, expect, it } from "vitest";
import type { ClientOptions } from "../../../../../library/runtime/client/core.js";
import type { Call } from "../../../../../library/runtime/protocol/transport.js";
import { all, callerOf, failureOf, getBook, transportOf, watchBook } from "../client-sample.js";

describe("client interceptors", () => {
  it("interceptors wrap calls of every kind, and the first interceptor is the outermost", async () => {
    const seen: string[] = [];
    const named = (name: string): NonNullable<ClientOptions["interceptors"]>[number] => ({
      async unary(call, next) {
        seen.push(`${name} ${call.operation.name}`);
        const result = await next({ ...call, headers: { ...call.headers, [name]: "1" } });
        seen.push(`${name} ${JSON.stringify(result)}`);
        return result;
      },
      async *stream(call, next) {
        for await (const event of next(call)) {
          seen.push(`${name} event`);
          yield event;
        }
      },
    });
    const transport = transportOf({ unary: () => Promise.resolve({ id: "1", unknown: true }) });
    const caller = callerOf({ transport, interceptors: [named("a"), {}, named("b")] });
    await caller.unary(getBook, {});
    expect(seen).toEqual(["a GetBook", "b GetBook", 'b {"id":"1"}', 'a {"id":"1"}']);
    expect(transport.calls[0]?.headers).toMatchObject({ a: "1", b: "1" });
    seen.length = 0;
    await all(caller.stream(watchBook, {}));
    expect(seen).toEqual(["b event", "a event", "b event", "a event"]);
  });

  it("interceptors can retry, respond themselves and see every error", async () => {
    let failures = 2;
    const transport = transportOf({
      unary: () =>
        failures-- > 0 ? Promise.reject(new Error("again")) : Promise.resolve({ id: "1" }),
    });
    const seen: unknown[] = [];
    const retry = {
      async unary(call: Call, next: (call: Call) => Promise<unknown>) {
        for (;;) {
          try {
            return await next(call);
          } catch (error) {
            seen.push(error);
          }
        }
      },
    };
    expect(await callerOf({ transport, interceptors: [retry] }).unary(getBook, {})).toEqual({
      id: "1",
    });
    expect(seen).toEqual([new Error("again"), new Error("again")]);
    const cached = { unary: () => Promise.resolve({ id: "cached" }) };
    expect(await callerOf({ transport, interceptors: [cached] }).unary(getBook, {})).toEqual({
      id: "cached",
    });
  });

  it("an error that an interceptor throws synchronously becomes a rejection, and interceptors keep their `this`", async () => {
    class Counter {
      count = 0;
      unary(): Promise<unknown> {
        this.count++;
        throw new Error("no");
      }
    }
    const counter = new Counter();
    const caller = callerOf({ transport: transportOf(), interceptors: [counter] });
    expect(await failureOf(caller.unary(getBook, {}))).toEqual(new Error("no"));
    expect(counter.count).toBe(1);
  });
});
