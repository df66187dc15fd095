/** Something that a peer sends in another way than the specification says, and that clients and servers take. */
export interface Tolerance {
  /** SDKs that do it. */
  readonly peers: readonly string[];
  /** What they do. */
  readonly does: string;
  /** What the specification says, and where. */
  readonly says: string;
  /** What the output does about it. */
  readonly answer: string;
}

/**
 * The tolerances, by what they are about. All but the last one are on by default, since they change nothing for peers that
 * follow the specification. `tolerances.test.ts` imitates each peer, and `sdks/tolerances.interop.ts` asks the SDKs themselves:
 * it fails when an SDK has been mended, and the row can go.
 */
export const tolerances = {
  "media types of requests": {
    peers: ["Java SDK 1.2.0.Final"],
    does: "The server responds with 415 to `application/a2a+json`.",
    says: "1.0 section 11.1: requests have the content type application/a2a+json",
    answer: "The client sends the request once more as `application/json`, and begins with that from then on.",
  },
  "media types of responses": {
    peers: ["Go SDK 2.4.0"],
    does: "The client reads errors in `application/json` alone, which it names in `Accept` unless it asks for a stream.",
    says: "1.0 section 11.1: responses have the content type application/a2a+json",
    answer: "The server sends a media type that the caller accepts.",
  },
  "errors without an id": {
    peers: ["Java SDK 1.2.0.Final"],
    does: "Errors of streams over JSON-RPC have no `id`.",
    says: "JSON-RPC 2.0 section 5: the id is required, and null where the request could not be read",
    answer: "The client takes an error without an id as that of the call that the HTTP response belongs to.",
  },
  "refused subscriptions": {
    peers: ["Go SDK 2.4.0", "Java SDK 0.3.3.Final", "Python SDK 0.3.26"],
    does: "A subscription to a task that has ended is refused with TaskNotFoundError or InvalidParamsError.",
    says: "1.0 section 3.1.6: UnsupportedOperationError",
    answer: "`followTask` reads the task after any refusal of a subscription.",
  },
  "repeated pieces": {
    peers: ["Python SDK 1.3.0"],
    does: "A subscription begins with the task, and repeats a piece of an artifact that is part of the task.",
    says: "1.0 section 3.1.6: the stream goes on after the task",
    answer: "`followTask` reads the task at the end of a stream that was resumed, and corrects the artifact.",
  },
  "absent defaults": {
    peers: ["Rust SDK 0.5.3"],
    does: "The server leaves out `tasks` and `totalSize` over HTTP+JSON if they are empty or 0.",
    says: "1.0 section 3.1.4: the members of ListTasksResponse are required",
    answer: "The client reads what ProtoJSON leaves out as its default, `pageSize` and `nextPageToken` included.",
  },
  "the filter of ListTasks": {
    peers: ["Go SDK 2.4.0"],
    does: "The client calls `statusTimestampAfter` by another name in the query, `lastUpdatedAfter`.",
    says: "1.0 section 3.1.4: statusTimestampAfter",
    answer: "The server reads both names.",
  },
  "errors of 0.3 over HTTP+JSON": {
    peers: ["Java SDK 0.3.3.Final", "Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "Clients look for the class of an error in `type` or `error`, and fail if there is no `error`.",
    says: "0.3.0 section 8 has codes, and does not say what a body over HTTP+JSON looks like",
    answer: "The server sends `type` and `error` beside `code`, `message` and `data`.",
  },
  "error events of 0.3 over HTTP+JSON": {
    peers: ["Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "The server sends an error of a stream as an event with an `error` object.",
    says: "0.3.0 section 8 has codes, and does not say what an event over HTTP+JSON looks like",
    answer: "The client throws the error.",
  },
  "the main interface of a card of 0.3": {
    peers: ["readers of cards"],
    does: "Readers look for interfaces in `additionalInterfaces` alone.",
    says: "0.3.0 section 5.6.1: the list should repeat the main interface",
    answer: "The adapter repeats the interface in the list.",
  },
  "ids of requests over JSON-RPC": {
    peers: ["TCK 0.3"],
    does: "A request without an id is expected to be refused for its method or its params, one with an invalid id for the id.",
    says: "JSON-RPC 2.0 section 5.1 leaves open which error comes first",
    answer: "The server reports a missing id after method and params, and an invalid id before them.",
  },
  "files of 0.3 over HTTP+JSON and gRPC": {
    peers: ["Java SDK 0.3.3.Final", "Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "The bytes of a file are written as base64 of base64, and read as if they were text.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64",
    answer: "With `twiceEncoded(v0_3)`, which is no default, the client decodes and encodes files once more.",
  },
} as const satisfies Readonly<Record<string, Tolerance>>;

/** The name of a tolerance. */
export type ToleranceName = keyof typeof tolerances;
