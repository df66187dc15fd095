import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonRpcHandler } from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import type { CoreParts } from "../../../../../library/runtime/server/core-parts.js";
import type {
  CallContext,
  Caller,
  ServerCall,
} from "../../../../../library/runtime/server/context.js";
import type { CoreOptions } from "../../../../../library/runtime/server/hooks.js";
import { createContextKey } from "../../../../../library/runtime/server/values.js";
import {
  card,
  errors,
  httpRequest,
  jsonOf,
  operations,
  sampleCore,
  type NoteService,
} from "./server-sample.js";

const service: NoteService = { getNote: ({ id = "" }, { user }) => ({ id, text: String(user) }) };

const call = (method: string, params: unknown = { id: "n1" }): object => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params,
});

/** Sends a request to an agent with the options, over JSON-RPC. */
async function send(body: unknown, options: CoreOptions = {}, parts: Partial<CoreParts> = {}) {
  const response = await jsonRpcHandler(sampleCore(service, { ...parts, options }))(
    httpRequest("POST", "/", body),
  );
  return response ?? expect.unreachable("no response");
}

/** Sends a request to an agent with the options, over HTTP+JSON. */
async function visit(method: string, url: string, options: CoreOptions) {
  const response = await restHandler(sampleCore(service, { options }))(httpRequest(method, url));
  return response ?? expect.unreachable("no response");
}

const refuse = (): never => {
  throw new errors.unauthenticated();
};

describe("authentication", () => {
  it.each(["jsonRpc", "rest"] as const)(
    "authentication happens before the body of a request is read: %s",
    async (binding) => {
      const core = sampleCore(service, { options: { authenticate: refuse } });
      const request = httpRequest("POST", binding === "rest" ? "/notes" : "/", "{");
      const readBody = vi.spyOn(request, "readBody");
      const handler = binding === "rest" ? restHandler(core) : jsonRpcHandler(core);
      expect((await handler(request))?.status).toBe(401);
      expect(readBody).not.toHaveBeenCalled();
    },
  );

  it("authentication gets headers, binding and signal, and no operation", async () => {
    const callers: Caller[] = [];
    await send(call("GetNote"), { authenticate: (caller) => callers.push(caller) });
    const [caller] = callers;
    expect(caller?.binding).toBe("JSONRPC");
    expect(caller?.headers.get("content-type")).toBe("application/json");
    expect(caller?.signal.aborted).toBe(false);
    expect(caller).not.toHaveProperty("operation");
  });

  it("an unknown caller gets the same response for an existing and an unknown method", async () => {
    const [known, unknown] = [call("GetNote"), call("Nothing")];
    const responses = await Promise.all(
      [known, unknown, "{"].map((body) => send(body, { authenticate: refuse })),
    );
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await jsonOf(responses[0])).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("an unknown caller gets the same response for an existing and an unknown path", async () => {
    const visits = [["GET", "/notes/n1"], ["GET", "/nothing"], ["PUT", "/notes/n1"]] as const; // prettier-ignore
    const responses = await Promise.all(
      visits.map(([method, url]) => visit(method, url, { authenticate: refuse })),
    );
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  });
});

describe("authorization", () => {
  it("authorization gets the user and the checked request", async () => {
    const calls: ServerCall[] = [];
    const options: CoreOptions = {
      authenticate: () => "ann",
      authorize: (made) => void calls.push(made),
    };
    await send(call("GetNote", { id: 1 }), options);
    expect(calls).toEqual([]);
    await send(call("GetNote", { id: "n1", limit: "5" }), options);
    expect(calls).toMatchObject([
      { operation: operations.getNote, request: { id: "n1", limit: 5 } },
    ]);
    expect(calls[0]?.context.user).toBe("ann");
  });

  it("authorization refuses a call before the service is called, also asynchronously", async () => {
    const getNote = vi.fn(() => ({ id: "n1", text: "" }));
    for (const authorize of [
      (): never => {
        throw new errors.permissionDenied();
      },
      (): Promise<never> => Promise.reject(new errors.permissionDenied()),
      // Stubs of remote procedures are proxies of functions.
      () =>
        Object.assign(() => undefined, {
          then: (_: unknown, no: (error: Error) => void) => no(new errors.permissionDenied()),
        }),
    ]) {
      const response = await send(call("GetNote"), { authorize }, { service: { getNote } });
      expect(response.status).toBe(403);
    }
    expect(getNote).not.toHaveBeenCalled();
  });
});

describe("context values", () => {
  const trace = createContextKey("none", "trace");

  it("context values reach the service from authentication through interceptors", async () => {
    const seen: string[] = [];
    const note = (text: string, { values }: Pick<CallContext, "values">) => {
      seen.push(`${text}: ${values.get(trace)}`);
      values.set(trace, text);
    };
    const options: CoreOptions = {
      authenticate: (caller) => (note("authenticate", caller), "ann"),
      authorize: ({ context }) => note("authorize", context),
      interceptors: [{ unary: (made, next) => (note("interceptor", made.context), next(made)) }],
    };
    const getNote: NoteService["getNote"] = (_, context) => (
      note("service", context),
      { id: "n1", text: "" }
    );
    await send(call("GetNote"), options, { service: { getNote } });
    expect(seen).toEqual(["authenticate: none", "authorize: authenticate", "interceptor: authorize", "service: interceptor"]); // prettier-ignore
  });

  it("context values belong to one call and to one key, regardless of its description", async () => {
    const found: unknown[] = [];
    const other = createContextKey(0, "trace");
    const authenticate = ({ values }: Caller) => {
      found.push(values.get(trace), values.get(other));
      values.set(trace, "set");
      values.set(other, 1);
      values.delete(other);
      found.push(values.get(trace), values.get(other));
      return "ann";
    };
    const core = sampleCore(service, { options: { authenticate } });
    for (let round = 0; round < 2; round++)
      await jsonRpcHandler(core)(httpRequest("POST", "/", call("GetNote")));
    expect(found).toEqual(["none", 0, "set", 0, "none", 0, "set", 0]);
  });
});

describe("a refused call", () => {
  const refused = async (
    body: unknown,
    options: CoreOptions = {},
    parts: Partial<CoreParts> = {},
  ) => {
    const found: unknown[] = [];
    const interceptor = {
      unary: vi.fn((made: ServerCall, next: (made: ServerCall) => Promise<unknown>) => next(made)),
    };
    const onRefused: CoreOptions["onRefused"] = (error, { binding }, operation) =>
      found.push([error.reason, binding, operation?.name]);
    await send(body, { onRefused, interceptors: [interceptor], ...options }, parts);
    expect(interceptor.unary).toHaveBeenCalledTimes(found.length === 0 ? 1 : 0);
    return found;
  };

  it.each<[string, unknown, CoreOptions, unknown[]]>([
    [
      "for missing credentials",
      call("GetNote"),
      { authenticate: refuse },
      ["UNAUTHENTICATED", "JSONRPC", undefined],
    ],
    ["for an invalid JSON body", "{", {}, ["PARSE", "JSONRPC", undefined]],
    ["for an unknown method", call("Nothing"), {}, ["METHOD_NOT_FOUND", "JSONRPC", undefined]],
    [
      "for its version",
      call("GetNote"),
      { assumeVersion: "7.0" },
      ["VERSION_NOT_SUPPORTED", "JSONRPC", "GetNote"],
    ],
    ["for its request", call("GetNote", { id: 1 }), {}, ["INVALID_PARAMS", "JSONRPC", "GetNote"]],
    [
      "for missing permission",
      call("GetNote"),
      { authorize: refuse },
      ["UNAUTHENTICATED", "JSONRPC", "GetNote"],
    ],
  ])(
    "a refused call is reported to its hook and to no interceptor: %s",
    async (_, body, options, expected) => {
      expect(await refused(body, options)).toEqual([expected]);
    },
  );

  it("interceptors see errors that the service throws, because these are not refusals", async () => {
    const getNote = (): never => {
      throw new errors.permissionDenied();
    };
    expect(await refused(call("GetNote"), {}, { service: { getNote } })).toEqual([]);
  });
});

describe("a hook that fails", () => {
  const quiet = () => {
    const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => spy.mockRestore());
  };

  it.each<[string, CoreOptions]>([
    ["onError that rejects", { onError: () => Promise.reject(new Error("log is full")) }],
    ["onError that throws", { onError: () => JSON.parse("{") as unknown }],
    [
      "onRefused that rejects",
      { onRefused: () => Promise.reject(new Error("log is full")), authenticate: refuse },
    ],
  ])("a failing hook does not end the process or change the response: %s", async (_, options) => {
    quiet();
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", listen);
    onTestFinished(() => void process.off("unhandledRejection", listen));
    const getNote = (): never => {
      throw new TypeError("inner");
    };
    const response = await send(call("GetNote"), options, { service: { getNote } });
    expect(await jsonOf(response)).toHaveProperty("error");
    // Rejections without a handler are reported once the queue of promises is empty.
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
    expect(console.error).toHaveBeenCalledOnce();
  });
});

describe("a challenge", () => {
  it.each(["", " Bearer", 'Bearer realm="é"', "Bearer\r\nset-cookie: a=b", "Bearer\u0000"])(
    "a challenge that is not a valid header value is refused at the start: %j",
    (challenge) => {
      expect(() => sampleCore({}, { options: { challenge } })).toThrow(
        /^challenge must be a header value/,
      );
    },
  );

  it("a challenge may have parameters", () => {
    expect(
      sampleCore({}, { options: { challenge: 'Bearer realm="notes", scope="a b"' } }).challenge,
    ).toContain("realm");
  });
});

describe("a function that creates the card", () => {
  const count = async (method: string, parts: Partial<CoreParts>) => {
    const make = vi.fn(({ headers }: Pick<Caller, "headers">) => (headers.get("x"), card));
    await send(call(method), {}, { card: make, ...parts });
    return make.mock.calls.length;
  };

  it("the function is called once for a call that depends on the card, and not for other calls", async () => {
    const { path, interfaces } = sampleCore({}).discovery;
    const discovery = { path, interfaces };
    expect(await count("WatchNote", {})).toBe(1);
    expect(await count("GetNote", {})).toBe(1);
    expect(await count("GetNote", { discovery })).toBe(0);
    expect(await count("WatchNote", { discovery })).toBe(1);
  });

  it("the function is called with the headers of the caller only", async () => {
    const make = vi.fn((_: object) => card);
    await send(call("WatchNote"), {}, { card: make });
    expect(Object.keys(make.mock.calls[0]?.[0] ?? {})).toEqual(["headers"]);
  });
});
