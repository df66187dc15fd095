import { Server } from "@grpc/grpc-js";
import { expect, it, onTestFinished, vi } from "vitest";
import { all, type Context, serving, shop, started, streamOf } from "./shop.js";

const {
  connectOrders,
  createServiceServer,
  grpc,
  grpcService,
  jsonRpc,
  NotFoundError,
  rest,
  serveOrders,
} = await shop();

const bytes = "AAH/";

/** Adds metadata to a response: the metadata of the request, and trailers. */
function respond({ headers, responseHeaders, responseTrailers }: Context) {
  for (const [name, value] of headers.entries())
    if (name.startsWith("x-")) responseHeaders.append(name, value);
  responseHeaders.set("content-type", "text/plain");
  responseTrailers.append("x-end", "1");
  responseTrailers.append("x-end", "2");
  responseTrailers.set("x-end-bin", bytes);
}

let late: unknown;
const failures: unknown[] = [];

const service = serveOrders({
  onError: (error) => failures.push(error),
  service: {
    getOrder({ id = "" }, context) {
      respond(context);
      if (id === "Café") context.responseHeaders.set("x-name", id);
      if (id === "x!") context.responseTrailers.append(id, "1");
      if (id === "none") throw new NotFoundError("There is none");
      return { id };
    },
    async *watchOrder({ id = "" }, context) {
      respond(context);
      if (id === "none") return;
      yield* streamOf({ id });
      try {
        context.responseHeaders.set("x-late", "1");
      } catch (error) {
        late = error;
      }
      if (id === "lost") throw new NotFoundError("The order is lost");
    },
  },
});

function ofLibrary(): Promise<string> {
  const server = new Server();
  const { definition, implementation } = grpcService(service);
  server.addService(definition, implementation);
  return serving(server);
}

const own = () => started(createServiceServer(service));

const peers = [
  { name: "HTTP+JSON", transport: rest, start: own, isGrpc: false },
  { name: "JSON-RPC", transport: jsonRpc, start: own, isGrpc: false },
  { name: "gRPC", transport: grpc, start: own, isGrpc: true },
  { name: "gRPC with a server of grpc-js", transport: grpc, start: ofLibrary, isGrpc: true },
];

/** Returns a client, and options that record the metadata of a response. */
async function connected({ transport, start }: (typeof peers)[number]) {
  const client = connectOrders(await start(), { transport: transport() });
  onTestFinished(() => {
    client.close();
  });
  const seen: { headers?: Headers; trailers?: Headers } = {};
  const options = {
    headers: { "x-one": "a", "x-two": "b, c", "x-raw-bin": bytes },
    onHeaders: (headers: Headers) => (seen.headers = headers),
    onTrailers: (trailers: Headers) => (seen.trailers = trailers),
  };
  return { client, seen, options };
}

it.each(peers)("$name: a call carries headers and trailers, also of bytes", async (peer) => {
  const { client, seen, options } = await connected(peer);
  expect(await client.getOrder({ id: "1" }, options)).toEqual({ id: "1" });
  expect(Object.fromEntries(seen.headers ?? [])).toMatchObject(options.headers);
  expect(seen.headers?.get("content-type")).toMatch(/^application\/(?:json|grpc)/);
  expect(Object.fromEntries(seen.trailers ?? [])).toEqual({ "x-end": "1, 2", "x-end-bin": bytes });
});

it.each(peers)("$name: an error carries headers and trailers", async (peer) => {
  const { client, seen, options } = await connected(peer);
  await expect(client.getOrder({ id: "none" }, options)).rejects.toThrow(NotFoundError);
  expect(Object.fromEntries(seen.headers ?? [])).toMatchObject(options.headers);
  expect(Object.fromEntries(seen.trailers ?? [])).toMatchObject({ "x-end": "1, 2" });
});

it.each(peers)("$name: a stream carries headers and, over gRPC, trailers", async (peer) => {
  const { client, seen, options } = await connected(peer);
  expect(await all(client.watchOrder({ id: "1" }, options))).toEqual([{ id: "1" }]);
  expect(Object.fromEntries(seen.headers ?? [])).toMatchObject(options.headers);
  if (peer.isGrpc)
    expect(Object.fromEntries(seen.trailers ?? [])).toMatchObject({ "x-end": "1, 2" });
  else expect(seen.trailers).toBeUndefined();
  expect(String(late)).toBe(
    "TypeError: The headers have been sent: set them before the first response",
  );
});

it.each(peers)("$name: a stream that fails carries headers", async (peer) => {
  const { client, seen, options } = await connected(peer);
  const call = all(client.watchOrder({ id: "lost" }, options));
  await expect(call).rejects.toThrow(NotFoundError);
  expect(Object.fromEntries(seen.headers ?? [])).toMatchObject(options.headers);
});

it.each(peers)("$name: a stream may have no events", async (peer) => {
  const { client, seen, options } = await connected(peer);
  expect(await all(client.watchOrder({ id: "none" }, options))).toEqual([]);
  expect(Object.fromEntries(seen.headers ?? [])).toMatchObject(options.headers);
});

it.each(peers)(
  "$name: headers that a transport cannot send are errors of the service",
  async (peer) => {
    const { client } = await connected(peer);
    const internal = { name: "InternalError", message: "Internal error" };
    failures.length = 0;
    await expect(client.getOrder({ id: "Café" })).rejects.toMatchObject(internal);
    await expect(client.getOrder({ id: "x!" })).rejects.toMatchObject(internal);
    expect(failures.map(String)).toEqual([
      'TypeError: The header x-name cannot be sent with the value "Café": encode it in ASCII, for example with encodeURIComponent',
      'TypeError: The header "x!" cannot be sent: use letters, digits, "_", "-" and "."',
    ]);
    expect(await client.getOrder({ id: "1" })).toEqual({ id: "1" });
  },
);

it.each(peers)("$name: a hook for headers that rejects does not end the process", async (peer) => {
  const { client } = await connected(peer);
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => {
    error.mockRestore();
  });
  const onHeaders: () => unknown = () => Promise.reject(new Error("The hook fails"));
  expect(await client.getOrder({ id: "1" }, { onHeaders })).toEqual({ id: "1" });
  await vi.waitFor(() => {
    expect(error).toHaveBeenCalledWith(new Error("The hook fails"));
  });
});
