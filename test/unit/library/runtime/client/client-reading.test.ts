import { describe, expect, it, vi } from "vitest";
import { optional, message, required } from "../../../../../library/runtime/schema/message.js";
import { string } from "../../../../../library/runtime/schema/types.js";
import type { ClientOperation } from "../../../../../library/runtime/protocol/operation.js";
import {
  all,
  callerOf,
  errors,
  failureOf,
  protocol,
  streamOf,
  transportOf,
} from "../client-sample.js";
import { ClientCore } from "../../../../../library/runtime/client/core.js";

interface Book {
  id: string;
  title?: string;
}

const Book = message<Book>("Book", () => ({ id: required(string), title: optional(string) }));

const getBook: ClientOperation<object, Book> = {
  name: "GetBook",
  streaming: "none",
  accepts: (value): value is Book => typeof (value as Partial<Book>).id === "string",
};
const listBooks: ClientOperation<object, Book> = { name: "ListBooks", streaming: "none" };

/** Returns a client whose agent sends the given responses, and the function that loads types. */
function reading(...responses: readonly unknown[]) {
  const loadTypes = vi.fn(() => Promise.resolve({ GetBook: Book, ListBooks: Book }));
  let at = 0;
  const transport = transportOf({
    unary: () => Promise.resolve(responses[at++]),
    stream: () => streamOf(...responses),
  });
  return { client: new ClientCore({ protocol, errors, transport, loadTypes }), loadTypes };
}

describe("the reading of responses", () => {
  it("a response that its guard accepts is returned unchanged, without loading its type", async () => {
    const book = { id: "1", title: "T", added: { later: true } };
    const { client, loadTypes } = reading(book);
    expect(await client.unary(getBook, {})).toBe(book);
    expect(loadTypes).not.toHaveBeenCalled();
  });

  it("a response that its guard refuses is read leniently", async () => {
    const { client, loadTypes } = reading(
      { id: null, added: 1 },
      { book_id: 1 },
      { id: "1", title: null },
    );
    expect(await failureOf(client.unary(getBook, {}))).toBeInstanceOf(errors.invalidResponse);
    expect(await failureOf(client.unary(getBook, {}))).toBeInstanceOf(errors.invalidResponse);
    expect(loadTypes).toHaveBeenCalled();
  });

  it("a response without a guard is always read", async () => {
    const { client } = reading({ id: "1", title: null, added: 1 });
    expect(await client.unary(listBooks, {})).toEqual({ id: "1" });
  });

  it("events stay in order if the first event must be read", async () => {
    const refused = {
      ...getBook,
      accepts: (value: unknown): value is Book => !Object.hasOwn(Object(value) as object, "x"),
    };
    const { client } = reading({ id: "1", x: 1 }, { id: "2" }, { id: "3", x: 1 }, { id: "4" });
    const events = await all(client.stream({ ...refused, streaming: "server" }, {}));
    expect(events.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
  });

  it("a member named __proto__ stays an own member, and changes no prototype", async () => {
    const book: unknown = JSON.parse('{"id":"1","__proto__":{"title":"T"}}');
    const { client } = reading(book);
    const read = await client.unary(getBook, {});
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect({ ...read }.title).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty("title");
  });

  it("a call fails with the reason if the type of its response cannot be loaded", async () => {
    const failing = new ClientCore({
      protocol,
      errors,
      transport: transportOf({ unary: () => Promise.resolve({ id: 1 }) }),
      loadTypes: () => Promise.reject(new TypeError("Failed to fetch")),
    });
    const failure = await failureOf(failing.unary(getBook, {}));
    expect(failure).toBeInstanceOf(errors.invalidResponse);
    expect(failure).toHaveProperty(
      "message",
      "The code that reads the response to GetBook could not be loaded: Failed to fetch",
    );
  });

  it("a response is returned unchanged if it is not validated", async () => {
    const transport = transportOf({ unary: () => Promise.resolve({ id: 1 }) });
    expect(await callerOf({ transport, validate: false }).unary(getBook, {})).toEqual({ id: 1 });
  });
});
