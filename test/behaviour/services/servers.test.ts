import { expect, it } from "vitest";
import { shop } from "./shop.js";

const { fetchHandler, serveOrders, serveSupport } = await shop();

const orders = serveOrders({ service: { getOrder: ({ id = "" }) => ({ id }) } });
const support = serveSupport({ service: { ask: ({ name = "" }) => ({ name: `${name}?` }) } });

async function answer(
  handler: (request: Request) => Promise<Response>,
  path: string,
  init: RequestInit = {},
) {
  const response = await handler(new Request(`http://shop.test${path}`, init));
  return [response.status, JSON.parse(await response.text()) as unknown] as const;
}

const json = { method: "POST", headers: { "content-type": "application/json" } };
const errorOf = (code: number, status: string, message: string) => ({
  error: { code, status, message, details: [] },
});

it("a handler serves each of several services at its routes and its JSON-RPC endpoint", async () => {
  const handler = fetchHandler([orders, support]);
  expect(await answer(handler, "/v1/orders/7")).toEqual([200, { id: "7" }]);
  const ask = { jsonrpc: "2.0", id: 1, method: "Ask", params: { name: "Why" } };
  const asked = await answer(handler, "/shop.v1.Support", { ...json, body: JSON.stringify(ask) });
  expect(asked).toEqual([200, { jsonrpc: "2.0", id: 1, result: { name: "Why?" } }]);
  const get = { ...ask, method: "GetOrder", params: { id: "8" } };
  const got = await answer(handler, "/shop.v1.Orders", { ...json, body: JSON.stringify(get) });
  expect(got).toEqual([200, { jsonrpc: "2.0", id: 1, result: { id: "8" } }]);
});

it("unknown paths and methods get the errors of the bindings", async () => {
  const handler = fetchHandler([orders, support]);
  const unknown = errorOf(404, "NOT_FOUND", "The path is unknown");
  expect(await answer(handler, "/v2/orders")).toEqual([404, unknown]);
  expect(await answer(handler, "/")).toEqual([404, unknown]);
  expect(await answer(handler, "/v1/orders/1", { method: "DELETE" })).toEqual([
    405,
    errorOf(405, "UNIMPLEMENTED", "The path only supports GET"),
  ]);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Ask" });
  expect(await answer(handler, "/shop.v1.Orders", { ...json, body })).toEqual([
    200,
    {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message: "Ask is not a method of this service", data: [] },
    },
  ]);
});

it("invalid bodies get the codes of JSON-RPC, and one class over HTTP+JSON", async () => {
  const handler = fetchHandler(orders);
  const codeOf = async (body: string) => {
    const [, sent] = await answer(handler, "/shop.v1.Orders", { ...json, body });
    return (sent as { error: { code: number } }).error.code;
  };
  expect(await codeOf("{")).toBe(-32700);
  expect(await codeOf("[]")).toBe(-32600);
  expect(await codeOf('{"jsonrpc":"2.0","id":1,"method":"GetOrder","params":{"id":5}}')).toBe(
    -32602,
  );
  expect(await answer(handler, "/v1/orders", { ...json, body: "{" })).toEqual([
    400,
    errorOf(400, "INVALID_ARGUMENT", "The body is not valid JSON"),
  ]);
});

it("callers without credentials get a challenge, also at unknown paths", async () => {
  const authenticate = () => undefined;
  const handler = fetchHandler(serveOrders({ authenticate, service: {} }));
  for (const path of ["/v1/orders/1", "/unknown"]) {
    const response = await handler(new Request(`http://shop.test${path}`));
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  }
});

it("a page of another origin may call a service if `cors` allows it", async () => {
  const handler = fetchHandler([orders, support], { cors: true });
  const headers = { origin: "https://page.test", "access-control-request-method": "POST" };
  const preflight = new Request("http://shop.test/shop.v1.Support", { method: "OPTIONS", headers });
  const response = await handler(preflight);
  expect([response.status, response.headers.get("access-control-allow-headers")]).toEqual([
    204,
    "Authorization, Cache-Control, Content-Type, If-None-Match",
  ]);
});

it("handlers refuse an empty list of services, and a service that occurs twice", () => {
  expect(() => fetchHandler([])).toThrow("A server requires at least one service");
  expect(() => fetchHandler([orders, support, orders])).toThrow(
    "The service shop.v1.Orders occurs twice: remove one",
  );
});

it("a transport that is `false` is not served", async () => {
  const handler = fetchHandler(orders, { rest: false });
  const response = await handler(new Request("http://shop.test/v1/orders/1"));
  expect(response.status).toBe(404);
});
