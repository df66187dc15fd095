import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { all } from "../../support/everywhere.js";
import { adaptedOutput, others } from "../../support/adapted.js";
import { isFull, isTried } from "../../support/size.js";
import {
  outputOf,
  scriptedFor,
  startScripted,
  type Output,
  type Scripted,
} from "../../support/scripted.js";
import { v03, v1 } from "../interop/dialect.js";
import { inOldProto, messageOf, replies, requests } from "./samples.js";
import { errorOf } from "../../support/errors.js";

/** Response to a call over HTTP. */
interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  /** JSON of the body, or of each event. */
  readonly body: unknown;
}

const compared = [
  "content-type",
  "cache-control",
  "www-authenticate",
  "a2a-extensions",
  "x-a2a-extensions",
];

/** Calls agents with the client of a version and records the HTTP responses. */
class Caller {
  readonly #output: Output;
  readonly #binding: "JSONRPC" | "HTTP+JSON";
  readonly #card: object;
  #exchanges: Exchange[] = [];

  constructor(output: Output, binding: "JSONRPC" | "HTTP+JSON", card: object) {
    this.#output = output;
    this.#binding = binding;
    this.#card = card;
  }

  /** Returns what the agent at a URL responds with on the wire, and what the client makes of it. */
  async call(
    url: string,
    method: string,
    request: unknown,
  ): Promise<{ exchanges: Exchange[]; result: unknown }> {
    this.#exchanges = [];
    const fetch = this.#watched;
    const factory = this.#binding === "JSONRPC" ? this.#output.jsonRpc : this.#output.rest;
    const transports = [(factory as (options: object) => object)({ fetch })];
    const client = await this.#output.connect(at(this.#card, url) as never, { transports });
    const found = Reflect.get(client, method) as (request: unknown) => unknown;
    const given: unknown = Reflect.apply(found, client, [request]);
    const isStream = typeof given === "object" && given !== null && Symbol.asyncIterator in given;
    const result = await Promise.resolve(
      isStream ? all(given as AsyncIterable<unknown>) : given,
    ).catch((error: unknown) => ({ name: errorOf(error).name, message: errorOf(error).message }));
    client.close();
    return { exchanges: this.#exchanges, result };
  }

  readonly #watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const headers = Object.fromEntries(compared.map((name) => [name, response.headers.get(name)]));
    const text = await response.clone().text();
    const events = text
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
    const body =
      events.length > 0
        ? events.map((event) => JSON.parse(event) as unknown)
        : text === ""
          ? ""
          : (JSON.parse(text) as unknown);
    this.#exchanges.push({ status: response.status, headers, body });
    return response;
  };
}

/** A card whose interfaces are at a URL. */
function at(card: object, url: string): unknown {
  return JSON.parse(JSON.stringify(card).replace(/http:\/\/127\.0\.0\.1:\d+\//g, url));
}

/** Versions of agents and of their callers. */
const pairs = [
  ...others.map((version) => ({ own: "1.0", version })),
  { own: "0.3.0", version: "1.0" },
  { own: "1.1-draft", version: "1.0" },
  ...(isFull ? [{ own: "1.1-draft", version: "0.3.0" }] : []),
].filter(({ version }) => isTried(version));
const served = pairs.flatMap((pair) =>
  (["JSONRPC", "HTTP+JSON"] as const).map((binding) => ({ ...pair, binding })),
);
const wordsOf = (version: string) => (version.startsWith("1.") ? v1 : v03);

/** Returns the output of a version with adapters for the versions of its callers. */
function outputFor(own: string) {
  return adaptedOutput(
    own,
    own === "1.0" ? others : pairs.flatMap((pair) => (pair.own === own ? [pair.version] : [])),
  );
}

describe.each(served)(
  "a caller of $version, of an agent of $own over $binding",
  ({ own: ownVersion, version, binding }) => {
    const [words, dialect] = [wordsOf(ownVersion), wordsOf(version)];
    let native: Scripted;
    let adapted: Scripted;
    let caller: Caller;

    beforeAll(async () => {
      const { own, adapters } = await outputFor(ownVersion);
      native = await startScripted(version);
      adapted = await startScripted(ownVersion, {
        output: own,
        versions: Object.values(adapters).map((one) => one.served),
      });
      caller = new Caller(await outputOf(version), binding, native.card);
    });
    afterAll(async () => {
      await native.close();
      await adapted.close();
    });

    /** Expects the same from an agent of another version as from one of the version. */
    async function same(method: string, request: unknown) {
      const here = await caller.call(native.url, method, request);
      const there = await caller.call(adapted.url, method, request);
      expect(there).toEqual(here);
      expect(there.exchanges).not.toEqual([]);
      return there.result;
    }

    it.each(requests(dialect, words))(
      "the caller of $method gets the response of an agent of its version",
      async ({ method, request, own }) => {
        for (const reply of replies(method)) {
          native.response = reply === undefined ? undefined : reply.in(dialect);
          adapted.response = reply?.in(words);
          await same(method, request);
          expect(adapted.request).toEqual(
            binding === "JSONRPC" || dialect === v1 ? own : inOldProto(own),
          );
        }
      },
    );

    const names = [
      "TaskNotFoundError",
      "TaskNotCancelableError",
      "UnsupportedOperationError",
      "ContentTypeNotSupportedError",
    ];
    it.each([
      ...names,
      "InvalidParamsError",
      "UnauthenticatedError",
      "PermissionDeniedError",
      "InternalError",
    ])(
      "the error %s has the code, the form and the status of the caller's version, before and within a stream",
      async (name) => {
        const error = ({ output }: Scripted) => {
          const Class = Reflect.get(output, name) as new (message: string) => Error;
          return new Class("It is so");
        };
        for (const method of ["getTask", "subscribeToTask"]) {
          [native.response, adapted.response] = [error(native), error(adapted)];
          expect(await same(method, { id: "t-1" })).toEqual({ name, message: "It is so" });
        }
        const [reply] = replies("subscribeToTask");
        native.response = [...(reply?.in(dialect) as unknown[]).slice(0, 2), error(native)];
        adapted.response = [...(reply?.in(words) as unknown[]).slice(0, 2), error(adapted)];
        expect(await same("subscribeToTask", { id: "t-1" })).toEqual({ name, message: "It is so" });
      },
    );

    it("an exception of the service and an invalid response reveal no more than in the caller's version", async () => {
      for (const response of [new Error("The password is 1234"), { id: 7 }, undefined]) {
        [native.response, adapted.response] = [response, response];
        expect(await same("getTask", { id: "t-1" })).toMatchObject({
          name: expect.stringMatching(/^I/) as unknown,
        });
      }
    });

    // Before 1.0, cards list required extensions, but no error exists for callers without them.
    it.skipIf(words === v03)(
      "the error for a missing required extension is the error of the caller's version",
      async () => {
        const { own, adapters } = await outputFor(ownVersion);
        const card = { capabilities: { extensions: [{ uri: "urn:x", required: true }] } };
        const versions = Object.values(adapters).map((one) => one.served);
        const { url } = await scriptedFor(ownVersion, { card, output: own, versions });
        const { result } = await caller.call(url, "getTask", { id: "t-1" });
        const name = dialect === v1 ? "ExtensionSupportRequiredError" : "InvalidRequestError";
        expect(result).toMatchObject({
          name,
          message: expect.stringContaining("urn:x") as unknown,
        });
      },
    );

    it("the error for invalid params names the fields of the caller's version", async () => {
      adapted.request = undefined;
      const message = { ...(dialect.message(messageOf("hi")) as object), messageId: 7 };
      const result = await same("sendMessage", { message });
      expect(result).toMatchObject({ name: "InvalidParamsError" });
      expect(adapted.request).toBeUndefined();
    });
  },
);
