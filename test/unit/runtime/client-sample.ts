import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import {
  A2AError,
  type ErrorClass,
  type ErrorRow,
  type ErrorTable,
} from "../../../templates/runtime/protocol/error.js";
import { message, optional, implicit, required } from "../../../templates/runtime/schema/message.js";
import type { Operation, DiscoveryFacts, ProtocolFacts } from "../../../templates/runtime/protocol/operation.js";
import { boolean, int32, lazy, list, string } from "../../../templates/runtime/schema/types.js";

/** A small protocol about books: enough operations to see every rule of the client. */
export interface Book {
  id: string;
  title?: string;
}

function errorClass(name: string, jsonRpc: number | undefined, http: number, grpc: ErrorRow["grpc"]): ErrorClass {
  const reason = name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
  const row = { name, reason, message: `${name}.`, http, grpc, ...(jsonRpc === undefined ? {} : { jsonRpc }) };
  return class extends A2AError {
    static override readonly row: ErrorRow = row;
  };
}

export const BookNotFound = errorClass("BookNotFound", -32001, 404, "NOT_FOUND");

const answers = {
  parse: errorClass("Parse", -32700, 400, "INVALID_ARGUMENT"),
  invalidRequest: errorClass("InvalidRequest", -32600, 400, "INVALID_ARGUMENT"),
  methodNotFound: errorClass("MethodNotFound", -32601, 404, "UNIMPLEMENTED"),
  invalidParams: errorClass("InvalidParams", -32602, 400, "INVALID_ARGUMENT"),
  internal: errorClass("Internal", -32603, 500, "INTERNAL"),
  unauthenticated: errorClass("Unauthenticated", undefined, 401, "UNAUTHENTICATED"),
  permissionDenied: errorClass("PermissionDenied", undefined, 403, "PERMISSION_DENIED"),
  unsupported: errorClass("Unsupported", -32004, 400, "FAILED_PRECONDITION"),
  contentType: errorClass("ContentType", -32005, 415, "INVALID_ARGUMENT"),
  invalidResponse: errorClass("InvalidResponse", -32006, 500, "INTERNAL"),
};

export const errors: ErrorTable & typeof answers = {
  domain: "books.example",
  classes: [...Object.values(answers), BookNotFound],
  ...answers,
};

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

const FilterSchema = message<Filter>("Filter", () => ({ author: implicit(string), year: optional(int32) }));

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

export const operations: readonly Operation[] = [getBook, addBook, watchBook, joinBooks, mirrorBooks];

export const protocol: ProtocolFacts = {
  version: "2.1",
  assumedVersion: "1.9",
  headers: { version: "Books-Version", extensions: "Books-Extensions" },
  tenant: "tenant",
  mediaTypes: { http: "application/books+json", accept: ["application/books+json", "application/json"] },
  bindings: { jsonRpc: "RPC", http: "REST", grpc: "GRPC" },
};

export const discovery: DiscoveryFacts = {
  path: "/.well-known/books.json",
  interfaces: { list: "doors", url: "at", binding: "speaks", version: "edition", tenant: "library" },
  extensions: { list: ["extensions"], uri: "uri", required: "required" },
};

/** What a server has received. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on a free port of the loopback interface that stops with the test. */
export async function serve(
  answer: (received: Received, response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ url: string; requests: Received[]; server: Server }> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const received = { method, url, headers, body };
      requests.push(received);
      answer(received, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, requests, server };
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** An address of the loopback interface where nothing listens. */
export async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200, type = "application/json"): void {
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(value));
}

/** All elements of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const elements: T[] = [];
  for await (const element of stream) elements.push(element);
  return elements;
}

/** The values as a stream. */
export async function* streamOf<T>(...values: T[]): AsyncGenerator<T, void, undefined> {
  for (const value of values) yield await Promise.resolve(value);
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expectFailure(value),
    (error: unknown) => error,
  );
}

function expectFailure(value: unknown): never {
  throw new Error(`Expected a failure, got ${JSON.stringify(value)}`);
}
