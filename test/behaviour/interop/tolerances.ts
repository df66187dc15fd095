/**
 * Something that a peer sends in another way than the specification says, and that clients and
 * servers take.
 */
export interface Tolerance {
  /** SDKs that do it. */
  readonly peers: readonly string[];
  /** Behaviour of the peers. */
  readonly does: string;
  /** Text of the specification, with its section. */
  readonly says: string;
  /** Behaviour of the output. */
  readonly answer: string;
}

/**
 * The tolerances, by what they are about. All but the last one are on by default, since they change
 * nothing for peers that follow the specification. Strict readers do not accept absent strings and
 * numbers, nor the other name of the filter. `tolerances.test.ts` imitates each peer, and
 * `sdks/tolerances.interop.ts` asks the SDKs themselves: it fails when an SDK has been mended, and
 * the row can go.
 */
export const tolerances = {
  "media types of requests": {
    peers: ["Java SDK 1.2.0.Final"],
    does: "The server rejects `application/a2a+json` with 415.",
    says: "1.0 section 11.1: requests have the content type application/a2a+json",
    answer: "The client retries with `application/json`, and uses that type for later requests.",
  },
  "media types of responses": {
    peers: ["Go SDK 2.4.0"],
    does: "The client only parses errors sent as `application/json`. It lists this type in `Accept`, except for streams.",
    says: "1.0 section 11.1: responses have the content type application/a2a+json",
    answer: "The server responds with a media type that the client accepts.",
  },
  "errors without an id": {
    peers: ["Java SDK 1.2.0.Final"],
    does: "Errors in JSON-RPC streams have no `id`.",
    says: "JSON-RPC 2.0 section 5: the id is required, and null if the request could not be parsed",
    answer:
      "The client treats an error without an id as the error of the call that the HTTP response belongs to.",
  },
  "refused subscriptions": {
    peers: ["Go SDK 2.4.0", "Java SDK 0.3.3.Final", "Python SDK 0.3.26"],
    does: "The server rejects a subscription to an ended task with TaskNotFoundError or InvalidParamsError.",
    says: "1.0 section 3.1.6: UnsupportedOperationError",
    answer: "`followTask` reads the task after any rejected subscription.",
  },
  "repeated pieces": {
    peers: ["Python SDK 1.3.0"],
    does: "A subscription starts with the task, then repeats an artifact chunk that the task already contains.",
    says: "1.0 section 3.1.6: after the task, the stream continues with new events",
    answer:
      "At the end of a resumed stream, `followTask` reads the task and corrects the artifact.",
  },
  "absent defaults": {
    peers: ["Rust SDK 0.5.3"],
    does: "Over HTTP+JSON, the server omits `tasks` if it is empty and `totalSize` if it is 0.",
    says: "1.0 section 3.1.4: the members of ListTasksResponse are required",
    answer:
      "The client reads absent members as their ProtoJSON default, including `pageSize` and `nextPageToken`.",
  },
  "the filter of ListTasks": {
    peers: ["Go SDK 2.4.0"],
    does: "The client sends `statusTimestampAfter` as `lastUpdatedAfter` in the query.",
    says: "1.0 section 3.1.4: statusTimestampAfter",
    answer: "The server accepts both names.",
  },
  "errors of 0.3 over HTTP+JSON": {
    peers: ["Java SDK 0.3.3.Final", "Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "Clients read the error class from `type` or `error`, and fail if `error` is missing.",
    says: "0.3.0 section 8 defines codes, but no body for HTTP+JSON",
    answer: "The server sends `type` and `error` in addition to `code`, `message` and `data`.",
  },
  "error events of 0.3 over HTTP+JSON": {
    peers: ["Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "The server sends a stream error as an event with an `error` object.",
    says: "0.3.0 section 8 defines codes, but no event for HTTP+JSON",
    answer: "The client throws the error.",
  },
  "the main interface of a card of 0.3": {
    peers: ["some card readers"],
    does: "Clients only read interfaces from `additionalInterfaces`.",
    says: "0.3.0 section 5.6.1: the list should repeat the main interface",
    answer: "The adapter repeats the main interface in the list.",
  },
  "ids of requests over JSON-RPC": {
    peers: ["TCK 0.3"],
    does: "For a request without an id, the TCK expects the error about the method or params. For an invalid id, it expects the error about the id.",
    says: "JSON-RPC 2.0 section 5.1 does not define which error takes precedence",
    answer:
      "The server checks for an invalid id first, then method and params, then for a missing id.",
  },
  "files of 0.3 over HTTP+JSON and gRPC": {
    peers: ["Java SDK 0.3.3.Final", "Python SDK 1.3.0 for 0.3", "Go SDK 2.4.0 for 0.3"],
    does: "File bytes are base64-encoded twice when written, and read as if they were text.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64",
    answer:
      "With the interceptor of [Versions](../../../docs/versions.md#files-encoded-twice), the client decodes and encodes files a second time.",
  },
} as const satisfies Readonly<Record<string, Tolerance>>;

/** The name of a tolerance. */
export type ToleranceName = keyof typeof tolerances;
