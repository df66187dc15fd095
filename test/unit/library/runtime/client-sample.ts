import { ClientCore, type ClientOptions } from "../../../../library/runtime/client/core.js";
import type { Call, Transport } from "../../../../library/runtime/protocol/transport.js";
import {
  message,
  optional,
  implicit,
  required,
} from "../../../../library/runtime/schema/message.js";
import type {
  Operation,
  DiscoveryFacts,
  ProtocolFacts,
} from "../../../../library/runtime/protocol/operation.js";
import { errorClass, sampleErrors } from "./protocol/sample-errors.js";
import { boolean, int32, lazy, list, string } from "../../../../library/runtime/schema/types.js";

export { all, drain, failureOf } from "../../../support/everywhere.js";
export { json, listen, nowhere, serve } from "../../../support/http.js";

/** A small protocol about books: enough operations to see every rule of the client. */
export interface Book {
  id: string;
  title?: string;
}

export const BookNotFound = errorClass("BOOK_NOT_FOUND", -32001, 404, "NOT_FOUND");

export const errors = sampleErrors("books.example", BookNotFound);

const BookSchema = message<Book>("Book", () => ({ id: required(string), title: implicit(string) }));

export interface BookRequest {
  tenant?: string;
  id?: string;
  limit?: number;
  full?: boolean;
  tags?: string[];
  filter?: { author?: string; year?: number };
}

interface Filter {
  author?: string;
  year?: number;
}

const FilterSchema = message<Filter>("Filter", () => ({
  author: implicit(string),
  year: optional(int32),
}));

const BookRequestSchema = message<BookRequest>("BookRequest", () => ({
  tenant: implicit(string),
  id: implicit(string),
  limit: optional(int32),
  full: implicit(boolean),
  tags: implicit(list(string)),
  filter: optional(lazy("Filter", () => FilterSchema)),
}));

type BookOperation = Operation<BookRequest, Book>;

export const getBook: BookOperation = {
  name: "GetBook",
  method: "getBook",
  streaming: "none",
  request: BookRequestSchema,
  response: BookSchema,
  jsonRpc: "GetBook",
  tenant: true,
  safe: true,
  http: [
    { method: "GET", path: "/books/{id}" },
    { method: "GET", path: "/{tenant}/books/{id}", use: "tenant" },
    { method: "GET", path: "/v0/books/{id}", use: "accept" },
  ],
  grpc: "/books.Books/GetBook",
};

export const addBook: BookOperation = {
  name: "AddBook",
  method: "addBook",
  streaming: "none",
  request: BookRequestSchema,
  response: BookSchema,
  tenant: true,
  jsonRpc: "AddBook",
  http: [{ method: "POST", path: "/shelves/{filter.author}/books", body: "*" }],
  grpc: "/books.Books/AddBook",
};

export const watchBook: BookOperation = {
  ...getBook,
  name: "WatchBook",
  method: "watchBook",
  streaming: "server",
  jsonRpc: "WatchBook",
  http: [
    { method: "GET", path: "/books/{id}:watch" },
    { method: "POST", path: "/books/{id}:watch", body: "*", use: "fallback" },
    { method: "POST", path: "/{tenant}/books/{id}:watch", body: "*", use: "fallback" },
  ],
  grpc: "/books.Books/WatchBook",
};

export const joinBooks: Operation<Book, Book> = {
  name: "JoinBooks",
  method: "joinBooks",
  streaming: "client",
  request: BookSchema,
  response: BookSchema,
  grpc: "/books.Books/JoinBooks",
};

export const mirrorBooks: Operation<Book, Book> = {
  ...joinBooks,
  name: "MirrorBooks",
  method: "mirrorBooks",
  streaming: "both",
  grpc: "/books.Books/MirrorBooks",
};

export const operations: readonly Operation[] = [
  getBook,
  addBook,
  watchBook,
  joinBooks,
  mirrorBooks,
];

export const protocol: ProtocolFacts = {
  version: "2.1",
  assumedVersion: "1.9",
  headers: { version: "Books-Version", extensions: "Books-Extensions" },
  tenant: "tenant",
  mediaTypes: {
    http: "application/books+json",
    accept: ["application/books+json", "application/json"],
  },
  bindings: { jsonRpc: "RPC", http: "REST", grpc: "GRPC" },
};

export const discovery: DiscoveryFacts = {
  path: "/.well-known/books.json",
  interfaces: {
    list: "doors",
    url: "at",
    binding: "speaks",
    version: "edition",
    tenant: "library",
  },
  extensions: { list: ["extensions"], uri: "uri", required: "required" },
};

/** The values as a stream. */
export async function* streamOf<T>(...values: T[]): AsyncGenerator<T, void, undefined> {
  for (const value of values) yield await Promise.resolve(value);
}

/** A transport that records its calls and returns a given response. */
export function transportOf(answers: Partial<Transport> = {}): Transport & { calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    binding: "TEST",
    unary: (call) => (calls.push(call), answers.unary?.(call) ?? Promise.resolve({ id: "1" })),
    stream: (call) => (
      calls.push(call),
      answers.stream?.(call) ?? streamOf({ id: "1" }, { id: "2" })
    ),
  };
}

/** A client of the sample protocol. */
export const callerOf = (options: ClientOptions): ClientCore =>
  new ClientCore({ protocol, errors, ...options });
