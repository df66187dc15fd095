import { errorWriter } from "../../../../../library/runtime/protocol/error-form-status.js";
import {
  EmptySchema,
  implicit,
  message,
  optional,
  required,
} from "../../../../../library/runtime/schema/message.js";
import type {
  Operation,
  DiscoveryFacts,
  ProtocolFacts,
} from "../../../../../library/runtime/protocol/operation.js";
import type { CallContext } from "../../../../../library/runtime/server/context.js";
import { Core } from "../../../../../library/runtime/server/core.js";
import type { CoreParts } from "../../../../../library/runtime/server/core-parts.js";
import type { CoreOptions } from "../../../../../library/runtime/server/hooks.js";
import { errorClass, sampleErrors } from "../protocol/sample-errors.js";
import type { HttpResponse, HttpRequest } from "../../../../../library/runtime/http/server.js";
import { boolean, int32, lazy, list, string } from "../../../../../library/runtime/schema/types.js";

/** A small protocol about notes: enough operations to see every rule of the server. */
export interface Note {
  id: string;
  text: string;
}

export const NoteNotFoundError = errorClass("NOTE_NOT_FOUND", -32001, 404, "NOT_FOUND");
export const WatchNotSupportedError = errorClass(
  "WATCH_NOT_SUPPORTED",
  -32003,
  400,
  "FAILED_PRECONDITION",
);
export const NotConfiguredError = errorClass("NOT_CONFIGURED", -32007, 400, "FAILED_PRECONDITION");

export const errors = sampleErrors(
  "notes.example",
  NoteNotFoundError,
  WatchNotSupportedError,
  NotConfiguredError,
);

export const NoteSchema = message<Note>("Note", () => ({
  id: required(string),
  text: required(string),
}));

interface AddNoteRequest {
  tenant?: string;
  folderId?: string;
  note: Note;
}

const AddNoteRequestSchema = message<AddNoteRequest>("AddNoteRequest", () => ({
  tenant: implicit(string),
  folderId: implicit(string),
  note: required(lazy("Note", () => NoteSchema)),
}));

interface Filter {
  words?: string[];
  author?: string;
}

const FilterSchema = message<Filter>("Filter", () => ({
  words: implicit(list(string)),
  author: implicit(string),
}));

interface NoteRequest {
  tenant?: string;
  id?: string;
  limit?: number;
  full?: boolean;
  tags?: string[];
  filter?: Filter;
}

const NoteRequestSchema = message<NoteRequest>("NoteRequest", () => ({
  tenant: implicit(string),
  id: implicit(string),
  limit: optional(int32),
  full: implicit(boolean),
  tags: implicit(list(string)),
  filter: optional(lazy("Filter", () => FilterSchema)),
}));

const watching = { capability: ["capabilities", "watching"], error: WatchNotSupportedError };

export const operations = {
  addNote: {
    name: "AddNote",
    method: "addNote",
    streaming: "none",
    request: AddNoteRequestSchema,
    response: NoteSchema,
    jsonRpc: "AddNote",
    http: [
      { method: "POST", path: "/notes", body: "*" },
      { method: "POST", path: "/{tenant}/notes", body: "*" },
      { method: "POST", path: "/folders/{folder_id}/notes", body: "*" },
      { method: "PUT", path: "/folders/{folder_id}/note", body: "note" },
    ],
    grpc: "/notes.Notes/AddNote",
  },
  getNote: {
    name: "GetNote",
    method: "getNote",
    streaming: "none",
    request: NoteRequestSchema,
    response: NoteSchema,
    jsonRpc: "GetNote",
    http: [
      { method: "GET", path: "/notes/{id}" },
      { method: "GET", path: "/{tenant}/notes/{id}" },
    ],
    grpc: "/notes.Notes/GetNote",
  },
  deleteNote: {
    name: "DeleteNote",
    method: "deleteNote",
    streaming: "none",
    request: NoteRequestSchema,
    response: EmptySchema,
    jsonRpc: "DeleteNote",
    http: [{ method: "DELETE", path: "/notes/{id}" }],
    grpc: "/notes.Notes/DeleteNote",
  },
  watchNote: {
    name: "WatchNote",
    method: "watchNote",
    streaming: "server",
    request: NoteRequestSchema,
    response: NoteSchema,
    jsonRpc: "WatchNote",
    http: [
      { method: "GET", path: "/notes/{id}:watch" },
      { method: "POST", path: "/notes/{id}:watch", body: "*", use: "fallback" },
    ],
    grpc: "/notes.Notes/WatchNote",
    requires: watching,
  },
  joinNotes: {
    name: "JoinNotes",
    method: "joinNotes",
    streaming: "client",
    request: NoteSchema,
    response: NoteSchema,
    grpc: "/notes.Notes/JoinNotes",
  },
  mirrorNotes: {
    name: "MirrorNotes",
    method: "mirrorNotes",
    streaming: "both",
    request: NoteSchema,
    response: NoteSchema,
    grpc: "/notes.Notes/MirrorNotes",
  },
  getSecretCard: {
    name: "GetSecretCard",
    method: "getSecretCard",
    streaming: "none",
    request: NoteRequestSchema,
    response: NoteSchema,
    jsonRpc: "GetSecretCard",
    grpc: "/notes.Notes/GetSecretCard",
    missing: NotConfiguredError,
  },
} as const satisfies Record<string, Operation>;

export const protocol: ProtocolFacts = {
  version: "2.1",
  assumedVersion: "1.9",
  headers: { version: "Notes-Version", extensions: "Notes-Extensions" },
  tenant: "tenant",
  mediaTypes: {
    http: "application/notes+json",
    accept: ["application/notes+json", "application/json"],
  },
  bindings: { jsonRpc: "JSONRPC", http: "HTTP+JSON", grpc: "GRPC" },
};

export const discovery: DiscoveryFacts = {
  path: "/.well-known/notes.json",
  interfaces: { list: "interfaces", url: "url", binding: "binding" },
  extensions: { list: ["capabilities", "extensions"], uri: "uri", required: "required" },
};

export interface NoteService {
  addNote?(request: AddNoteRequest, context: CallContext): unknown;
  getNote?(request: NoteRequest, context: CallContext): unknown;
  deleteNote?(request: NoteRequest, context: CallContext): unknown;
  watchNote?(request: NoteRequest, context: CallContext): unknown;
  joinNotes?(requests: AsyncIterable<Note>, context: CallContext): unknown;
  mirrorNotes?(requests: AsyncIterable<Note>, context: CallContext): unknown;
}

export const card = { name: "Notes", capabilities: { watching: true } };

/** A core over the sample protocol whose callers may leave out the version. */
export function sampleCore(service: NoteService, parts: Partial<CoreParts> = {}): Core {
  const options: CoreOptions = { assumeVersion: "2.1", onError: () => undefined, ...parts.options };
  return new Core({
    protocol,
    discovery,
    operations: Object.values(operations),
    errors,
    errorWriter,
    card: () => card,
    service,
    ...parts,
    options,
  });
}

/** A request over HTTP that never was on a wire. */
export function httpRequest(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): HttpRequest & { close(): void } {
  const text = body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body);
  const all: Record<string, string> = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const lower = new Map(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));
  const listeners: (() => void)[] = [];
  return {
    method,
    url,
    headers: { get: (name) => lower.get(name.toLowerCase()), entries: () => lower },
    readBody: () => Promise.resolve(text),
    onClose: (listener) => void listeners.push(listener),
    close: () => listeners.forEach((listener) => listener()),
  };
}

/** Returns the whole body of a response. */
export async function textOf(response: HttpResponse | undefined): Promise<string> {
  const body = response?.body ?? "";
  if (typeof body === "string") return body;
  let text = "";
  for await (const chunk of body) text += chunk;
  return text;
}

/** Returns the JSON of a response. */
export async function jsonOf(response: HttpResponse | undefined): Promise<unknown> {
  return JSON.parse(await textOf(response));
}

/** Returns the JSON of each event of a response. */
export async function eventsOf(response: HttpResponse | undefined): Promise<unknown[]> {
  const lines = (await textOf(response)).split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line): unknown => JSON.parse(line.slice(6)));
}
