import { describe, expect, it, vi } from "vitest";
import type { CoreOptions } from "../../../../../library/runtime/server/hooks.js";
import { begin, get, refusal, requestsOf, stream, unary } from "./server-calls.js";
import {
  card,
  discovery,
  errors,
  operations,
  sampleCore,
  type Note,
  type NoteService,
} from "./server-sample.js";

const note: Note = { id: "n1", text: "hello" };

describe("a unary call", () => {
  it("a call passes the checked request and the context to the service, and its response to the caller", async () => {
    const core = sampleCore({
      getNote: (request, { tenant, version }) => ({
        ...note,
        text: `${tenant} ${version}`,
        request,
      }),
    });
    const call = begin(core, operations.getNote);
    const read = (): unknown => ({ tenant: "acme", id: "n1", limit: "5", unknown: true });
    expect(await unary(call, { mode: "json", read })).toEqual({
      id: "n1",
      text: "acme 2.1",
      request: { tenant: "acme", id: "n1", limit: 5 },
    });
  });

  it("a call keeps `this` of the service", async () => {
    class Service {
      readonly #text = "private";
      getNote(): Note {
        return { id: "n1", text: this.#text };
      }
    }
    expect(await get(new Service())).toEqual({ id: "n1", text: "private" });
  });

  it("a call never mistakes an inherited member of objects for a method of the service", async () => {
    for (const method of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      const core = sampleCore({});
      const call = begin(core, { ...operations.getNote, method });
      expect(await refusal(unary(call, { mode: "json", read: () => ({}) }))).toMatchObject({
        reason: "UNSUPPORTED_OPERATION",
      });
    }
  });

  it("a service may return nothing if the response has no fields", async () => {
    const source = { mode: "json", read: () => ({ id: "n1" }) } as const;
    for (const validateResponses of [true, false]) {
      const core = sampleCore({ deleteNote: () => undefined }, { options: { validateResponses } });
      expect(await unary(begin(core, operations.deleteNote), source)).toEqual({});
    }
  });
});

describe("the order of checks", () => {
  /** Calls that fail every check from the one with this number on. */
  const failFrom = (first: number): Promise<unknown> => {
    const headers: Record<string, string> = {};
    if (first > 2) headers["Notes-Version"] = "2.1";
    if (first > 3) headers["Notes-Extensions"] = "urn:x";
    const core = sampleCore(
      {},
      {
        card: () => ({
          capabilities: { watching: first > 4, extensions: [{ uri: "urn:x", required: true }] },
        }),
        options: {
          assumeVersion: "0.1",
          authenticate: () => {
            if (first <= 1) throw new errors.unauthenticated();
            return "ann";
          },
        },
      },
    );
    return stream(begin(core, operations.watchNote, headers), {
      mode: "json",
      read: () => ({ id: first > 5 ? "n1" : 1 }),
    });
  };

  it.each([
    [1, "UNAUTHENTICATED"],
    [2, "VERSION_NOT_SUPPORTED"],
    [3, "EXTENSION_REQUIRED"],
    [4, "WATCH_NOT_SUPPORTED"],
    [5, "INVALID_PARAMS"],
    [6, "UNSUPPORTED_OPERATION"],
  ])("check %i responds with %s before any later check", async (first, reason) => {
    expect((await refusal(failFrom(first))).reason).toBe(reason);
  });

  it("the request is read only after the call is admitted", async () => {
    const core = sampleCore(
      {},
      { options: { authenticate: () => Promise.reject(new errors.permissionDenied()) } },
    );
    const read = vi.fn();
    await refusal(unary(begin(core, operations.getNote), { mode: "json", read }));
    expect(read).not.toHaveBeenCalled();
  });
});

describe("a capability", () => {
  const watch = (card: object): Promise<unknown> => {
    const core = sampleCore({ watchNote: () => requestsOf(note) }, { card: () => card });
    return stream(begin(core, operations.watchNote), { mode: "json", read: () => ({ id: "n1" }) });
  };

  it("the error names the capability that the agent card does not declare", async () => {
    const { message } = await refusal(watch({ capabilities: {} }));
    expect(message).toBe(
      "WatchNote requires capabilities.watching, which the agent card does not declare",
    );
  });

  it("the capability is read from a card that is resolved later, by a promise of any kind", async () => {
    expect(await watch({ then: (resolve: (made: object) => void) => resolve(card) })).toBeDefined();
  });
});

describe("the version of a call", () => {
  it("a call may have an additional version that the options name", async () => {
    const getNote: NoteService["getNote"] = (_, { version }) => ({ id: "n1", text: version });
    const called = get({ getNote }, { options: { versions: ["1.9"] } }, { "Notes-Version": "1.9" });
    expect(await called).toMatchObject({ text: "1.9" });
  });
});

describe("an agent that could not be called", () => {
  const facts = { ...discovery, versions: [["spoken"], ["interfaces", "spoken"]] };
  const start = (card: object, options: CoreOptions = {}) =>
    sampleCore({}, { card, discovery: facts, options });
  const doors = (...versions: unknown[]): object => ({
    interfaces: versions.map((spoken) => ({ spoken })),
  });

  it.each<[object, CoreOptions, string]>([
    [{}, { versions: ["1.9", "abc"] }, 'versions[1] must be Major.Minor, such as "1.0", got "abc"'],
    [{}, { assumeVersion: "v2" }, 'assumeVersion must be Major.Minor, such as "1.0", got "v2"'],
    [
      doors("1.9"),
      {},
      'The agent card contains no served version (interfaces.spoken is "1.9"): set interfaces.spoken to "2.1"',
    ],
    [
      { spoken: "1.9.1", ...doors("3.0") },
      {},
      'spoken is "1.9.1", interfaces.spoken is "3.0"): set spoken to "2.1"',
    ],
  ])("the agent is refused at the start: %j, %j", (card, options, message) => {
    expect(() => start(card, options)).toThrow(message);
  });

  it.each<[object, CoreOptions?]>([
    [{}],
    [doors()],
    [doors("1.9", "2.1")],
    [doors(7, "2.1.4")],
    [{ spoken: "1.9.0" }, { versions: ["1.9"] }],
  ])(
    "an agent whose card names a served version, or no version, is accepted: %j, %j",
    (card, options) => {
      expect(() => start(card, options)).not.toThrow();
    },
  );
});

describe("extensions", () => {
  it("an extension that would break a header is not activated", () => {
    const core = sampleCore({});
    const call = begin(core, operations.getNote);
    for (const uri of ["", "a b", "a\r\nset-cookie: x", "a,b", "ü"]) {
      expect(() => call.exchange.activateExtension(uri)).toThrow(TypeError);
    }
  });
});

describe("an error", () => {
  it("an error inside the service is reported in full, and the response does not contain its text", async () => {
    const onError = vi.fn();
    const inner = new Error("connection string");
    const error = await refusal(
      get({ getNote: () => Promise.reject(inner) }, { options: { onError } }),
    );
    expect(error).toMatchObject({ reason: "INTERNAL", message: "Internal" });
    const call = expect.objectContaining({ operation: operations.getNote }) as unknown;
    expect(onError).toHaveBeenCalledExactlyOnceWith(inner, call, {});
  });

  it("a protocol error reaches the caller unchanged and is not reported", async () => {
    const onError = vi.fn();
    const inner = new errors.unsupported("not today");
    expect(
      await refusal(get({ getNote: () => Promise.reject(inner) }, { options: { onError } })),
    ).toBe(inner);
    expect(onError).not.toHaveBeenCalled();
  });

  it("an invalid response is not sent, and is reported", async () => {
    const onError = vi.fn();
    const error = await refusal(
      get({ getNote: () => ({ id: 7, secret: "s" }) }, { options: { onError } }),
    );
    expect(error).toMatchObject({ reason: "INVALID_RESPONSE", message: "Invalid response" });
    expect(onError).toHaveBeenCalledOnce();
    expect(String(onError.mock.calls[0]?.[0])).toContain("/id expected string, got 7");
  });

  it("an invalid response is sent if responses are not checked", async () => {
    expect(await get({ getNote: () => 7 }, { options: { validateResponses: false } })).toBe(7);
  });

  it("an invalid response is explained by the schema if the quick check fails, and the schema is not used otherwise", async () => {
    const accepts = { GetNote: (response: unknown) => response === 7 };
    expect(await get({ getNote: () => 7 }, { accepts })).toBe(7);
    expect(await get({ getNote: () => note }, { accepts })).toBe(note);
    expect(await refusal(get({ getNote: () => 8 }, { accepts }))).toMatchObject({
      reason: "INVALID_RESPONSE",
    });
  });
});

describe("a stream of a service", () => {
  const open = async (
    service: NoteService,
    onError: (error: unknown) => unknown = () => undefined,
  ) => {
    const core = sampleCore(service, { options: { onError } });
    const call = begin(core, operations.watchNote);
    return { call, stream: await stream(call, { mode: "json", read: () => ({ id: "n1" }) }) };
  };

  it("a stream that fails before its first event fails like a call", async () => {
    const watchNote = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new errors.permissionDenied()) }),
    });
    expect(await refusal(open({ watchNote }))).toMatchObject({ reason: "PERMISSION_DENIED" });
    expect(await refusal(open({ watchNote: () => note }))).toMatchObject({ reason: "INTERNAL" });
  });

  it("a stream that ends normally does not abort the signal", async () => {
    const { call, stream } = await open({
      async *watchNote() {
        yield note;
      },
    });
    while ((await stream.next()).done !== true);
    await stream.return();
    expect(call.exchange.signal.aborted).toBe(false);
  });

  it("a stream whose end throws an unreadable value reports it and continues to work", async () => {
    const thrown = Object.defineProperty(new Error("unread"), "name", {
      get(): string {
        throw new Error("no name");
      },
    });
    const reported: unknown[] = [];
    const iterator = {
      next: () => Promise.resolve({ done: false, value: note }),
      return: () => Promise.reject(thrown),
    };
    const watchNote = () => ({ [Symbol.asyncIterator]: () => iterator });
    const { stream } = await open({ watchNote }, (error) => reported.push(error));
    await stream.next();
    await stream.return();
    expect(reported).toEqual([thrown]);
  });
});

describe("the signal of a call", () => {
  it("the signal aborts if the caller disconnects, even if it is read later", () => {
    const core = sampleCore({});
    const early = begin(core, operations.getNote);
    const { signal } = early.exchange;
    early.leave();
    expect(signal.aborted).toBe(true);
    const late = begin(core, operations.getNote);
    late.exchange.abort();
    expect(late.exchange.signal.aborted).toBe(true);
  });
});

describe("an operation that takes a request stream", () => {
  const joinNotes = async (notes: AsyncIterable<Note>): Promise<Note> => {
    let text = "";
    for await (const item of notes) text += item.text;
    return { id: "all", text };
  };

  it("each request of a stream is checked", async () => {
    const core = sampleCore({ joinNotes });
    const join = (...items: unknown[]) =>
      unary(begin(core, operations.joinNotes), {
        mode: "strict",
        read: () => requestsOf(...items),
      });
    expect(await join(note, note)).toEqual({ id: "all", text: "hellohello" });
    expect(await refusal(join(note, { id: 1 }))).toMatchObject({ reason: "INVALID_PARAMS" });
  });
});
