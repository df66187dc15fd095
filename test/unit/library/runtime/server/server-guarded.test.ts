import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GuardedEvents } from "../../../../../library/runtime/server/guarded-events.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import type { Caller } from "../../../../../library/runtime/server/context.js";
import { errors, httpRequest, sampleCore } from "./server-sample.js";

const peer = { address: "192.0.2.1", certificate: undefined };

/** Events on request of a test, and whether they were closed. */
function silent() {
  const ended = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  let give: (value: unknown) => void = () => undefined;
  const next = (): Promise<IteratorResult<unknown>> =>
    new Promise((resolve) => {
      give = (value) => {
        resolve({ done: false, value });
      };
    });
  const none = async function* (): AsyncGenerator<object> {
    yield* await Promise.resolve([]);
  };
  return { none, events: { next, return: ended }, ended, give: (value: unknown) => give(value) };
}

describe("a stream that is authenticated again", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("the stream continues while the caller is admitted", async () => {
    const { events, give } = silent();
    const check = vi.fn(() => Promise.resolve());
    const guarded = new GuardedEvents(events, check, 1_000);
    const first = guarded.next();
    await vi.advanceTimersByTimeAsync(3_500);
    expect(check).toHaveBeenCalledTimes(3);
    give("a");
    expect(await first).toEqual({ done: false, value: "a" });
    await guarded.return();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(check).toHaveBeenCalledTimes(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the stream ends if the check never settles", async () => {
    const { events, ended } = silent();
    const guarded = new GuardedEvents(events, () => new Promise(() => undefined), 1_000);
    const failed = expect(guarded.next()).rejects.toThrow("again in time");
    await vi.advanceTimersByTimeAsync(11_000);
    await failed;
    expect(ended).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the stream ends with the error immediately if the caller is refused, and closes the events of the service", async () => {
    const { events, ended } = silent();
    const expired = new errors.unauthenticated();
    const guarded = new GuardedEvents(events, () => Promise.reject(expired), 1_000);
    const waiting = guarded.next();
    const failed = expect(waiting).rejects.toBe(expired);
    await vi.advanceTimersByTimeAsync(1_000);
    await failed;
    expect(ended).toHaveBeenCalledOnce();
    await expect(guarded.next()).rejects.toBe(expired);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the option streams.reauthenticateMs", () => {
  it("a stream ends if authenticate returns no user any longer", async () => {
    let user: string | undefined = "ann";
    const watchNote = async function* (): AsyncGenerator<object> {
      yield { id: "n1", text: "first" };
      user = undefined;
      await new Promise(() => undefined);
    };
    const options = { authenticate: () => user, streams: { reauthenticateMs: 5 } };
    const core = sampleCore({ watchNote }, { card: { capabilities: { watching: true } }, options });
    const response = await restHandler(core)(httpRequest("GET", "/notes/n1:watch"));
    let text = "";
    for await (const chunk of response?.body as AsyncIterable<string>) text += chunk;
    expect(text).toMatch(/first[^]*UNAUTHENTICATED/);
  });

  it.each<[what: string, first: unknown, then: unknown, goesOn: boolean]>([
    ["no user, although such callers are admitted", "ann", undefined, false],
    ["another user", "ann", "bob", false],
    ["a user with another id", { id: "ann" }, { id: "bob" }, false],
    ["another user without an id", { name: "ann" }, { name: "bob" }, false],
    ["a user for a caller that had none", undefined, "bob", false],
    ["the same user with another token", { id: "ann", token: 1 }, { id: "ann", token: 2 }, true],
    ["the same user without an id", { name: "ann" }, { name: "ann" }, true],
  ])(
    "a stream ends if authenticate returns %s, unless the user is the same",
    async (_, first, then, goesOn) => {
      let calls = 0;
      let again: () => void = () => undefined;
      const twice = new Promise<void>((resolve) => {
        again = resolve;
      });
      const authenticate = () => {
        calls += 1;
        if (calls === 3) again();
        return calls === 1 ? first : then;
      };
      const watchNote = async function* (): AsyncGenerator<object> {
        yield { id: "n1", text: "first" };
        await twice;
        yield { id: "n1", text: "last" };
      };
      const options = { authenticate, anonymous: null, streams: { reauthenticateMs: 5 } };
      const core = sampleCore(
        { watchNote },
        { card: { capabilities: { watching: true } }, options },
      );
      const response = await restHandler(core)(httpRequest("GET", "/notes/n1:watch"));
      let text = "";
      for await (const chunk of response?.body as AsyncIterable<string>) text += chunk;
      expect(text).toMatch(goesOn ? /first[^]*last/ : /first[^]*UNAUTHENTICATED/);
    },
  );

  it.each([0, -1, NaN, "5" as unknown as number])(
    "an invalid time is refused: %j",
    (reauthenticateMs) => {
      expect(() => sampleCore({}, { options: { streams: { reauthenticateMs } } })).toThrow(
        "streams.reauthenticateMs",
      );
    },
  );
});

describe("the peer of a caller", () => {
  it("the peer is provided by the platform, and only hooks read it", async () => {
    const callers: Caller[] = [];
    const authenticate = (caller: Caller) => (callers.push(caller), "ann");
    const core = sampleCore(
      { getNote: () => ({ id: "n1", text: "" }) },
      { options: { authenticate } },
    );
    const asked = vi.fn(() => peer);
    const request = Object.defineProperty(httpRequest("GET", "/notes/n1"), "peer", { get: asked });
    await restHandler(core)(request);
    expect(asked).not.toHaveBeenCalled();
    expect(callers[0]?.peer).toBe(peer);
  });
});

describe("a POST without a media type", () => {
  const watch = (headers: Record<string, string>) => {
    const core = sampleCore(
      { watchNote: silent().none },
      { card: { capabilities: { watching: true } } },
    );
    return restHandler(core)(httpRequest("POST", "/notes/n1:watch", undefined, headers));
  };

  it("a POST of a page is refused, because browsers send it to other origins without a preflight request", async () => {
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "https://evil.example", "content-type": "text/plain" },
    ])
      // prettier-ignore
      expect((await watch(headers))?.status).toBe(400);
  });

  it.each(["cross-site", "same-site"])(
    "a POST without a body is refused if the browser sends it from another site without an origin: %s",
    async (site) => {
      expect((await watch({ "sec-fetch-site": site }))?.status).toBe(400);
    },
  );

  it("a POST is accepted from other callers, and from pages that declare the media type", async () => {
    expect((await watch({}))?.status).toBe(200);
    expect(
      (await watch({ origin: "https://app.example", "content-type": "application/json" }))?.status,
    ).toBe(200);
  });
});
