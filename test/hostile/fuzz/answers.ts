import type { Subject } from "../subject.js";
import type { Random } from "../../support/random/random.js";
import { damaged, randomBytes } from "./bytes.js";
import { nastyJson, textOf } from "./nasty-json.js";

/** How an answer ends: as it should, with a broken connection, or not at all. */
export type Ending = "end" | "break" | "stall";

/** HTTP response of a hostile agent: any bytes. */
export interface RawAnswer {
  readonly bytes: Uint8Array;
  /** Positions at which the writes are split. */
  readonly cuts: readonly number[];
  readonly ending: Ending;
}

const statuses = [
  200, 200, 200, 200, 201, 204, 206, 301, 302, 304, 400, 401, 403, 404, 409, 429, 500, 502, 503,
  599,
];
const types = [
  "application/json",
  "application/json",
  "text/event-stream",
  "text/event-stream",
  "text/html",
  "",
  "x",
];
/**
 * Nothing is compressed: the `fetch` of Node 20 waits forever for the rest of a body whose
 * compression breaks off.
 */
const headers = [
  "location: /",
  "location: http://127.0.0.1:1/",
  "location: ::",
  "retry-after: -1",
  "content-encoding: identity",
  "transfer-encoding: chunked",
  "content-length: 5",
  "content-length: x",
  "connection: close",
  "www-authenticate: Basic",
  "set-cookie: a",
  "x: \u0000",
];

/** An answer to an operation of a version, from a good one to garbage. */
export function rawAnswer(subject: Subject, transport: string, random: Random): RawAnswer {
  const ending = random.oneIn(20) ? "stall" : random.pick(["end", "end", "end", "break"] as const);
  const body = bodyOf(subject, transport, random);
  const extra = random.list(random.oneIn(3) ? 2 : 0, () => `${random.pick(headers)}\r\n`).join("");
  const type = random.oneIn(10) ? "" : `content-type: ${random.pick(types)}\r\n`;
  const length = random.oneIn(3)
    ? "connection: close\r\n"
    : `content-length: ${body.length + random.pick([0, 0, 0, 7])}\r\n`;
  const head = Buffer.from(
    `HTTP/1.1 ${random.pick(statuses)} OK\r\n${type}${length}${extra}\r\n`,
    "latin1",
  );
  const all = Buffer.concat([head, body]);
  const bytes = random.oneIn(6) ? damaged(all, random) : all;
  return {
    bytes,
    cuts: random.list(3, () => random.below(bytes.length + 1)).sort((a, b) => a - b),
    ending,
  };
}

function bodyOf(subject: Subject, transport: string, random: Random): Uint8Array {
  if (random.oneIn(10)) return randomBytes(random);
  const one = () => textOf(documentOf(subject, transport, random)) ?? "[[";
  if (random.oneIn(3)) return Buffer.from(random.list(4, () => `data: ${one()}\n\n`).join(""));
  return random.oneIn(4) ? damaged(Buffer.from(one()), random) : Buffer.from(one());
}

const keys = [
  "error",
  "result",
  "id",
  "code",
  "message",
  "data",
  "details",
  "status",
  "reason",
  "domain",
  "@type",
];

/** Content of a body or of an event in it. */
function documentOf({ samples, answers }: Subject, transport: string, random: Random) {
  const details = [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "TASK_NOT_FOUND",
      domain: "a2a-protocol.org",
    },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "a", description: "b" }],
    },
  ];
  const error = { code: -32001, status: "NOT_FOUND", message: "no", details, data: details };
  const value = random.pick([
    samples.task("t1", { a: 1 }),
    answers.working,
    answers.message(samples.message),
  ]);
  const good = random.oneIn(3) ? { error } : transport === "rest" ? value : { result: value };
  return nastyJson(random, transport === "rest" ? good : { jsonrpc: "2.0", id: 1, ...good }, keys);
}

/** gRPC response of a hostile agent. */
export interface GrpcAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly trailers: Readonly<Record<string, string>>;
  readonly ending: Ending;
  /** The code that the stream is reset with. */
  readonly reset: number | undefined;
}

/** An answer over gRPC; `good` are messages that could be in it. */
export function grpcAnswer(good: readonly Uint8Array[], random: Random): GrpcAnswer {
  const frames = random.list(3, () =>
    frameOf(random.oneIn(3) ? random.pick(good) : damaged(random.pick(good), random), random),
  );
  const body = Buffer.concat(frames);
  return {
    headers: {
      ":status": String(random.oneIn(6) ? random.pick([200, 400, 404, 429, 500, 503]) : 200),
      "content-type": random.oneIn(8)
        ? random.pick(["text/html", "application/grpc+json", "application/json"])
        : "application/grpc",
      ...(random.oneIn(10) && { "grpc-encoding": random.pick(["gzip", "identity", "x"]) }),
      ...(random.oneIn(10) && { "grpc-status": random.pick(["0", "5", "99"]) }),
    },
    body: random.oneIn(8) ? damaged(body, random) : body,
    trailers: {
      ...(!random.oneIn(8) && {
        "grpc-status": random.pick(["0", "0", "0", "1", "2", "5", "14", "16", "17", "-1", "x", ""]),
      }),
      ...(random.oneIn(3) && {
        "grpc-message": random.pick(["no", "%", "%E0%A4%A", "%00", "", "\u00e9", "a%0Ab"]),
      }),
      ...(random.oneIn(3) && { "grpc-status-details-bin": detailsOf(random) }),
    },
    ending: random.oneIn(20) ? "stall" : random.pick(["end", "end", "end", "break"] as const),
    reset: random.oneIn(8) ? random.below(14) : undefined,
  };
}

function frameOf(message: Uint8Array, random: Random): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = random.oneIn(12) ? random.below(256) : 0;
  head.writeUInt32BE(
    random.oneIn(12)
      ? random.pick([0, 1, message.length + 1, 2 ** 31, 2 ** 32 - 1])
      : message.length,
    1,
  );
  return Buffer.concat([head, message]);
}

function detailsOf(random: Random) {
  const info = "\n\u0005\u0012\u0002no\u001a(\n(type.googleapis.com/google.rpc.ErrorInfo";
  const bytes = random.oneIn(2)
    ? randomBytes(random)
    : damaged(Buffer.from(info, "latin1"), random);
  return random.oneIn(8)
    ? random.pick(["%", "===", "a", ","])
    : Buffer.from(bytes).toString("base64");
}
