import { once } from "node:events";
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import { shop, type Item } from "../../behaviour/services/shop.js";
import type { Campaign } from "../../support/campaign.js";
import type { Random } from "../../support/random/random.js";
import { damaged, hex, randomBytes, reshaped, smallerBytes } from "./bytes.js";
import { nastyJson, textOf } from "./nasty-json.js";

type Header = readonly [name: string, value: string];

/** Services whose errors and open calls are counted. */
export interface Attacked {
  readonly services: readonly ServedService[];
  /** Internal errors that the services have reported. */
  readonly faults: unknown[];
  /** The number of calls that the services are handling. */
  open: number;
}

/** Returns the services of shop.proto. The methods of `Orders` stream in all four ways. */
export async function attacked(): Promise<Attacked> {
  const { serveOrders, serveSupport } = await shop();
  const state = { faults: new Array<unknown>(), open: 0 };
  const onError = (error: unknown) => state.faults.push(error);
  const counted = async function* <T>(elements: AsyncIterable<T>) {
    state.open += 1;
    try {
      yield* elements;
    } finally {
      state.open -= 1;
    }
  };
  const watch = async function* ({ id = "" }: { readonly id?: string }) {
    yield await Promise.resolve({ id });
    yield { id: `${id}!` };
  };
  const orders = serveOrders({
    onError,
    service: {
      placeOrder: (order) => order,
      getOrder: ({ id = "" }) => ({ id }),
      watchOrder: (request) => counted(watch(request)),
      async countItems(items) {
        let count = 0;
        for await (const item of counted(items)) count = (count + (item.count ?? 0)) | 0;
        return { count };
      },
      echo: (items) => counted(items),
    },
  });
  const support = serveSupport({ onError, service: { ask: (item: Item) => item } });
  return Object.assign(state, { services: [orders, support] });
}

/** Expects that services are handling no call, and have reported no internal error. */
export async function expectIdle(state: Attacked): Promise<void> {
  for (let tries = 0; tries < 100 && state.open > 0; tries += 1) await delay(20);
  if (state.open > 0) throw new Error(`${state.open} calls were left open`);
  expectNoFaults(state);
}

function expectNoFaults({ faults }: Attacked): void {
  const [fault] = faults.splice(0);
  if (fault !== undefined)
    throw new Error("a service reported an internal error", { cause: fault });
}

interface HttpCase {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

const good = { id: "1", items: [{ name: "tea", count: 2 }] };
const keys = ["id", "items", "name", "count", "jsonrpc", "method", "params", "Id", "order_id"];
const rpcs = ["PlaceOrder", "GetOrder", "WatchOrder", "CountItems", "Echo", "Ask", "", "getOrder"];
const segments = [
  "v1",
  "orders",
  "1",
  "1:watch",
  "%2e%2e",
  "%",
  "%ff",
  "%00",
  "a%2Fb",
  ":watch",
  "",
];
const queries = ["id=2", "items.name=a", "items=1", "__proto__.a=1", "%", "count=1e9", "a.b.c=d"];
const types = [
  "application/json",
  "application/json; charset=x",
  "text/plain",
  "",
  "application/grpc",
];
const accepted = ["*/*", "application/x-ndjson", "text/event-stream;q=0", "x", ",;="];

function httpCase(random: Random): HttpCase {
  const isRpc = random.oneIn(2);
  const rpc = { jsonrpc: "2.0", id: 1, method: random.pick(rpcs), params: good };
  const service = random.pick(["/shop.v1.Orders", "/shop.v1.Support"]);
  const path = random.oneIn(2)
    ? random.pick(["/v1/orders", "/v1/orders/1", "/v1/orders/1:watch", "/v1/support/orders/1"])
    : `/${random.list(4, () => random.pick(segments)).join("/")}`;
  const query = random.list(random.oneIn(3) ? 3 : 0, () => random.pick(queries)).join("&");
  const value = random.oneIn(3) ? good : nastyJson(random, isRpc ? rpc : good, keys);
  return {
    method: isRpc ? "POST" : random.pick(["GET", "GET", "POST", "POST", "DELETE", "PUT", "HEAD"]),
    path: `${isRpc ? service : path}${query === "" ? "" : `?${query}`}`,
    headers: [
      ["content-type", random.oneIn(5) ? random.pick(types) : "application/json"],
      ["accept", random.pick(accepted)],
    ],
    body: textOf(isRpc && random.oneIn(3) ? rpc : value) ?? "[".repeat(50_000),
  };
}

/** The statuses that are the fault of the caller, or of no side. */
const statuses: ReadonlySet<number> = new Set([200, 400, 404, 405, 413, 415, 501]);

/** Requests of all kinds to services over HTTP+JSON and JSON-RPC. */
export const serviceRequests: Campaign<HttpCase> = {
  name: "requests to services over HTTP",
  async open() {
    const state = await attacked();
    const handler = (await shop()).fetchHandler(state.services);
    return {
      limitMs: 2_000,
      generate: httpCase,
      async attempt({ method, path, headers, body }) {
        const bodiless = method === "GET" || method === "HEAD";
        const request = new Request(new URL(`http://shop${path}`), {
          method,
          headers: headers.map(([name, value]): [string, string] => [name, value]),
          ...(bodiless ? {} : { body }),
        });
        const response = await handler(request);
        const text = await response.text();
        if (!statuses.has(response.status) && !(method === "HEAD" && response.status < 500))
          throw new Error(`the answer is ${response.status}: ${text}`);
        if (/"code":\s*(?:-32603|13|500)\b/.test(text))
          throw new Error(`the answer blames the service: ${text}`);
        expectNoFaults(state);
        return String(response.status);
      },
      close: () => expectIdle(state),
    };
  },
};

/** How a caller leaves a call. */
const departures = ["end", "end", "end", "end", "reset", "disconnect", "end and reset"] as const;

interface GrpcCase {
  readonly path: string;
  readonly headers: readonly Header[];
  readonly writes: readonly Uint8Array[];
  readonly departure: (typeof departures)[number];
}

const methods = ["PlaceOrder", "GetOrder", "WatchOrder", "CountItems", "Echo", "None"];
const metadata: readonly Header[] = [
  ...["0n", "1n", "0m", "1m", "99999999H", "999999999H", "-1S", "1", "soon", ""].map(
    (value): Header => ["grpc-timeout", value],
  ),
  ...["gzip", "identity", "br", ""].map((value): Header => ["grpc-encoding", value]),
  ...["AAH/", "===", "%", ",", "AAH/,AAH/"].map((value): Header => ["x-raw-bin", value]),
  ["x-text", "\u00e9"],
  ["a".repeat(200), "x".repeat(5_000)],
  ["te", "trailers"],
];

/** An order with an id and an item. As an item, it has only its name. */
const order = Buffer.from("0a013112070a037465611002", "hex");

function grpcCase(random: Random): GrpcCase {
  const message = () => {
    const changed = [damaged, reshaped, (_: Uint8Array, from: Random) => randomBytes(from)];
    return random.oneIn(2) ? order : random.pick(changed)(order, random);
  };
  const bytes = Buffer.concat(random.list(3, () => prefixed(message(), random)));
  const cut = random.below(bytes.length + 1);
  return {
    path: `/shop.v1.Orders/${random.pick(methods)}`,
    headers: random.list(random.oneIn(2) ? 0 : 3, () => random.pick(metadata)),
    writes: random.oneIn(2) ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)],
    departure: random.pick(departures),
  };
}

/** Returns a message with its prefix, which may be wrong. */
function prefixed(message: Uint8Array, random: Random): Buffer {
  const head = Buffer.alloc(5);
  head[0] = random.oneIn(12) ? random.below(256) : 0;
  const wrong = [0, message.length + 1, 2 ** 32 - 1];
  head.writeUInt32BE(random.oneIn(12) ? random.pick(wrong) : message.length, 1);
  return Buffer.concat([head, message]);
}

/**
 * The codes of calls that succeed, are canceled, or fail because of the caller: an invalid message,
 * a deadline, a limit, an unknown method or encoding, and an invalid frame or time-out.
 */
const codes: ReadonlySet<string> = new Set(["0", "1", "3", "4", "8", "12", "13"]);

/** Calls of all kinds to services over gRPC, some of which break the protocol. */
export const serviceCalls: Campaign<GrpcCase> = {
  name: "calls to services over gRPC",
  async open() {
    const state = await attacked();
    const server = (await shop()).createServiceServer(state.services);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    let session: ClientHttp2Session | undefined;
    const connected = (): ClientHttp2Session => {
      if (session === undefined || session.destroyed || session.closed)
        session = connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
      return session;
    };
    return {
      limitMs: 2_000,
      generate: grpcCase,
      async attempt(given) {
        const outcome = await attempt(connected(), given);
        expectNoFaults(state);
        return outcome;
      },
      *smaller({ writes, headers, ...rest }) {
        for (const bytes of smallerBytes(Buffer.concat(writes)))
          yield { ...rest, headers, writes: [bytes] };
        for (const index of headers.keys())
          yield { ...rest, writes, headers: headers.filter((_, at) => at !== index) };
      },
      print: ({ writes, ...rest }) => `${writes.map(hex).join(" ")} ${JSON.stringify(rest)}`,
      async close() {
        const last = await attempt(connected(), {
          path: "/shop.v1.Orders/GetOrder",
          headers: [],
          writes: [Buffer.from("0000000000", "hex")],
          departure: "end",
        });
        session?.destroy();
        server.close();
        if (last !== "code 0") throw new Error(`afterwards a good call ends with ${last}`);
        await expectIdle(state);
      },
    };
  },
};

/** Makes a call. Returns its code, or how it ended without a code. */
async function attempt(session: ClientHttp2Session, given: GrpcCase): Promise<string> {
  const { path, headers, writes, departure } = given;
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    ...Object.fromEntries(headers),
  });
  let received: IncomingHttpHeaders & { readonly ":status"?: number | undefined } = {};
  stream
    .on("error", () => undefined)
    .on("response", (head) => (received = { ...received, ...head }))
    .on("trailers", (trailers: IncomingHttpHeaders) => {
      received = { ...trailers, ...received };
    })
    .resume();
  // In contrast to `once`, this does not reject if the connection is destroyed before it is open.
  const closed = new Promise((resolve) => stream.once("close", resolve));
  for (const bytes of writes) {
    stream.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (departure === "reset") stream.close(8);
  else if (departure === "disconnect") session.destroy();
  else stream.end();
  if (departure === "end and reset") stream.close(0);
  await closed;
  const code = received["grpc-status"];
  if (typeof code !== "string") {
    if (departure === "end" && stream.rstCode === 0 && received[":status"] === 200)
      throw new Error("the call ends without a status");
    return departure === "end" ? `status ${String(received[":status"])}` : departure;
  }
  if (!codes.has(code))
    throw new Error(`the call ends with ${code}: ${String(received["grpc-message"])}`);
  return `code ${code}`;
}
