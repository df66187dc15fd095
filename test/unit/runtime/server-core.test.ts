import { describe, expect, it, vi } from "vitest";
import type { Core } from "../../../templates/runtime/server/core.js";
import type { CoreOptions } from "../../../templates/runtime/server/hooks.js";
import { begin, get, refusal, requestsOf, stream, unary } from "./server-calls.js";
import { card, discovery, errors, operations, sampleCore, type Note, type NoteService } from "./server-sample.js";

const note: Note = { id: "n1", text: "hello" };

describe("a unary call", () => {
  it("gives the checked request and the context to the service, and its response to the caller", async () => {
    const core = sampleCore({
      getNote: (request, { tenant, version }) => ({ ...note, text: `${tenant} ${version}`, request }),
    });
    const call = begin(core, operations.getNote);
    const read = (): unknown => ({ tenant: "acme", id: "n1", limit: "5", unknown: true });
    expect(await unary(call, { mode: "json", read })).toEqual({
      id: "n1",
      text: "acme 2.1",
      request: { tenant: "acme", id: "n1", limit: 5 },
    });
  });

  it("keeps `this` of the service", async () => {
    class Service {
      readonly #text = "private";
      getNote(): Note {
        return { id: "n1", text: this.#text };
      }
    }
    expect(await get(new Service())).toEqual({ id: "n1", text: "private" });
  });

  it("never takes what every object inherits for a method of the service", async () => {
    for (const method of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      const core = sampleCore({});
      const call = begin(core, { ...operations.getNote, method });
      expect(await refusal(unary(call, { mode: "json", read: () => ({}) }))).toMatchObject({
        reason: "UNSUPPORTED_OPERATION",
      });
    }
  });

  it("lets a service give nothing where the response has no fields", async () => {
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
        card: () => ({ capabilities: { watching: first > 4, extensions: [{ uri: "urn:x", required: true }] } }),
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
  ])("check %i answers %s before any later one", async (first, reason) => {
    expect((await refusal(failFrom(first))).reason).toBe(reason);
  });

  it("reads the request only after the call is admitted", async () => {
    const core = sampleCore({}, { options: { authenticate: () => Promise.reject(new errors.permissionDenied()) } });
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

  it("that the agent card lacks is named in the refusal", async () => {
    const { message } = await refusal(watch({ capabilities: {} }));
    expect(message).toBe("WatchNote requires capabilities.watching, which the agent card does not declare");
  });

  it("is looked for in a card that comes later, by a promise of any kind", async () => {
    expect(await watch({ then: (resolve: (made: object) => void) => resolve(card) })).toBeDefined();
  });
});

describe("the version of a call", () => {
  it("may be one that the options name besides that of the protocol", async () => {
    const getNote: NoteService["getNote"] = (_, { version }) => ({ id: "n1", text: version });
    const called = get({ getNote }, { options: { versions: ["1.9"] } }, { "Notes-Version": "1.9" });
    expect(await called).toMatchObject({ text: "1.9" });
  });
});

describe("an agent that could not be called", () => {
  const facts = { ...discovery, versions: [["spoken"], ["interfaces", "spoken"]] };
  const start = (card: object, options: CoreOptions = {}): Core => sampleCore({}, { card, discovery: facts, options });
  const doors = (...versions: unknown[]): object => ({ interfaces: versions.map((spoken) => ({ spoken })) });

  it.each<[object, CoreOptions, string]>([
    [{}, { versions: ["1.9", "abc"] }, 'versions[1] must be Major.Minor, such as "1.0", got "abc"'],
    [{}, { assumeVersion: "v2" }, 'assumeVersion must be Major.Minor, such as "1.0", got "v2"'],
    [
      doors("1.9"),
      {},
      'The agent card contains no served version (interfaces.spoken is "1.9"): set interfaces.spoken to "2.1"',
    ],
    [{ spoken: "1.9.1", ...doors("3.0") }, {}, 'spoken is "1.9.1", interfaces.spoken is "3.0"): set spoken to "2.1"'],
  ])("is refused at its start: %j, %j", (card, options, message) => {
    expect(() => start(card, options)).toThrow(message);
  });

  it.each<[object, CoreOptions?]>([
    [{}],
    [doors()],
    [doors("1.9", "2.1")],
    [doors(7, "2.1.4")],
    [{ spoken: "1.9.0" }, { versions: ["1.9"] }],
  ])("is none whose card names a version that it serves, or names none: %j, %j", (card, options) => {
    expect(() => start(card, options)).not.toThrow();
  });
});

describe("extensions", () => {
  it("that would break a header are not activated", () => {
    const core = sampleCore({});
    const call = begin(core, operations.getNote);
    for (const uri of ["", "a b", "a\r\nset-cookie: x", "a,b", "ü"]) {
      expect(() => call.exchange.activateExtension(uri)).toThrow(TypeError);
    }
  });
});

describe("what goes wrong", () => {
  it("inside the service is reported whole and answered without inner text", async () => {
    const onError = vi.fn();
    const inner = new Error("connection string");
    const error = await refusal(get({ getNote: () => Promise.reject(inner) }, { options: { onError } }));
    expect(error).toMatchObject({ reason: "INTERNAL", message: "Internal" });
    expect(onError).toHaveBeenCalledExactlyOnceWith(inner, expect.objectContaining({ operation: operations.getNote }));
  });

  it("on purpose reaches the caller as it is, and nobody else", async () => {
    const onError = vi.fn();
    const inner = new errors.unsupported("not today");
    expect(await refusal(get({ getNote: () => Promise.reject(inner) }, { options: { onError } }))).toBe(inner);
    expect(onError).not.toHaveBeenCalled();
  });

  it("with a response is kept from the wire and reported", async () => {
    const onError = vi.fn();
    const error = await refusal(get({ getNote: () => ({ id: 7, secret: "s" }) }, { options: { onError } }));
    expect(error).toMatchObject({ reason: "INVALID_RESPONSE", message: "Invalid response" });
    expect(onError).toHaveBeenCalledOnce();
    expect(String(onError.mock.calls[0]?.[0])).toContain("/id expected string, got 7");
  });

  it("with a response passes where responses are not checked", async () => {
    expect(await get({ getNote: () => 7 }, { options: { validateResponses: false } })).toBe(7);
  });

  it("with a response is found by the schema where a quick check refuses it, and not looked for where one accepts", async () => {
    const accepts = { GetNote: (response: unknown) => response === 7 };
    expect(await get({ getNote: () => 7 }, { accepts })).toBe(7);
    expect(await get({ getNote: () => note }, { accepts })).toBe(note);
    expect(await refusal(get({ getNote: () => 8 }, { accepts }))).toMatchObject({ reason: "INVALID_RESPONSE" });
  });
});

describe("a stream", () => {
  const open = async (service: NoteService, onError: (error: unknown) => unknown = () => undefined) => {
    const core = sampleCore(service, { options: { onError } });
    const call = begin(core, operations.watchNote);
    return { call, stream: await stream(call, { mode: "json", read: () => ({ id: "n1" }) }) };
  };

  it("that fails before its first event fails as a call", async () => {
    const watchNote = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new errors.permissionDenied()) }),
    });
    expect(await refusal(open({ watchNote }))).toMatchObject({ reason: "PERMISSION_DENIED" });
    expect(await refusal(open({ watchNote: () => note }))).toMatchObject({ reason: "INTERNAL" });
  });

  it("that comes to its end does not fire the signal", async () => {
    const { call, stream } = await open({
      async *watchNote() {
        yield note;
      },
    });
    while ((await stream.next()).done !== true);
    await stream.return();
    expect(call.exchange.signal.aborted).toBe(false);
  });

  it("whose end throws what cannot be looked at reports that, and does no more harm", async () => {
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

describe("the signal", () => {
  it("fires when the caller leaves, also for those who ask later", () => {
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

describe("operations that take a stream", () => {
  const joinNotes = async (notes: AsyncIterable<Note>): Promise<Note> => {
    let text = "";
    for await (const item of notes) text += item.text;
    return { id: "all", text };
  };

  it("get each request checked", async () => {
    const core = sampleCore({ joinNotes });
    const join = (...items: unknown[]): Promise<unknown> =>
      unary(begin(core, operations.joinNotes), { mode: "strict", read: () => requestsOf(...items) });
    expect(await join(note, note)).toEqual({ id: "all", text: "hellohello" });
    expect(await refusal(join(note, { id: 1 }))).toMatchObject({ reason: "INVALID_PARAMS" });
  });
});
