import type { lookup as platformLookup } from "node:dns";
import { type LookupAddress } from "node:dns";
import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { connect, type AgentCard } from "../../../../generated/1.0/index.js";
import type { publicFetch as PublicFetch } from "../../../../library/kit/public-fetch.js";
import { aCard } from "../../../support/cards.js";
import { portOf } from "../../../support/ports.js";

type Callback = (error: Error | null, found: readonly LookupAddress[]) => void;

const names: Readonly<Record<string, readonly (readonly LookupAddress[])[]>> = {
  "private.example.com": [[{ address: "127.0.0.1", family: 4 }]],
  "mixed.example.com": [
    [
      { address: "93.184.216.34", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ],
  ],
  "six.example.com": [[{ address: "::ffff:127.0.0.1", family: 6 }]],
  "empty.example.com": [[]],
  // The name server returns another address each time.
  "rebinding.example.com": [
    [{ address: "127.0.0.1", family: 4 }],
    [{ address: "93.184.216.34", family: 4 }],
  ],
};
const lookedUp: string[] = [];

vi.mock("node:dns", async (original) => {
  const dns = await original<{ readonly lookup: typeof platformLookup }>();
  const lookup = (name: string, options: { readonly all: true }, callback: Callback): void => {
    lookedUp.push(name);
    const [first, second = first] = names[name] ?? [];
    const found = lookedUp.filter((other) => other === name).length === 1 ? first : second;
    if (found === undefined) dns.lookup(name, options, callback);
    else callback(null, found);
  };
  return { ...dns, lookup };
});

let publicFetch: typeof PublicFetch;
let port = 0;
const requests: string[] = [];
const server = createServer((request, response) => {
  const { url = "", method = "", headers } = request;
  requests.push(`${method} ${url} ${headers.host ?? ""}`);
  if (url === "/redirect")
    response.writeHead(302, { location: "/elsewhere", "set-cookie": ["a=1", "b=2"] }).end();
  else if (url === "/empty") response.writeHead(204).end();
  else if (url === "/stream") response.writeHead(200).write("first");
  else if (url === "/silent") return;
  else request.pipe(response);
});
beforeAll(async () => {
  // Another test file of this process may have loaded the module, which then has the look-up of the
  // platform.
  vi.resetModules();
  ({ publicFetch } = await import("../../../../library/kit/public-fetch.js"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = portOf(server);
});
afterEach(() => {
  requests.length = 0;
  lookedUp.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const at = (host: string, path = "/"): string => `http://${host}:${String(port)}${path}`;

describe("publicFetch", () => {
  it.each([
    ...[
      "127.0.0.1",
      "127.1",
      "0x7f000001",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "[::]",
      "localhost",
    ],
    ...["private.example.com", "mixed.example.com", "six.example.com", "empty.example.com"],
  ])("publicFetch does not connect to %s", async (host) => {
    await expect(publicFetch()(at(host), {})).rejects.toMatchObject({
      name: "PrivateAddressError",
      message: expect.stringContaining("resolves to an address that is not public") as string,
    });
    expect(requests).toEqual([]);
  });

  it("`publicFetch` connects to private addresses that are allowed, by name or by address", async () => {
    for (const allowed of ["private.example.com", "127.0.0.1"]) {
      const fetch = publicFetch({ allowPrivateAddresses: ({ hostname }) => hostname === allowed });
      const host = allowed === "127.0.0.1" ? "localhost" : allowed;
      if (allowed === "127.0.0.1") expect((await fetch(at(allowed), {})).status).toBe(200);
      const response = await fetch(at(host), {
        method: "POST",
        body: "hello",
        headers: { "x-a": "1" },
      });
      expect([response.status, await response.text()]).toEqual([200, "hello"]);
    }
    expect(
      await (
        await publicFetch({ allowPrivateAddresses: true })(at("127.0.0.1"), {
          method: "POST",
          body: "a",
        })
      ).text(),
    ).toBe("a");
  });

  it("`publicFetch` connects to the address that it has checked, with one look-up", async () => {
    const fetch = publicFetch({
      allowPrivateAddresses: ({ hostname }) => hostname === "127.0.0.1",
    });
    const response = await fetch(at("rebinding.example.com"), { method: "POST", body: "hello" });
    expect(await response.text()).toBe("hello");
    expect(lookedUp).toEqual(["rebinding.example.com"]);
    expect(requests).toEqual([`POST / rebinding.example.com:${String(port)}`]);
  });

  it("publicFetch does not follow redirects, and keeps repeated headers", async () => {
    const response = await publicFetch({ allowPrivateAddresses: true })(
      at("127.0.0.1", "/redirect"),
      {},
    );
    expect([response.status, response.headers.get("location")]).toEqual([302, "/elsewhere"]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(
      (await publicFetch({ allowPrivateAddresses: true })(at("127.0.0.1", "/empty"), {})).body,
    ).toBeNull();
    expect(requests.map((request) => request.split(" ")[1])).toEqual(["/redirect", "/empty"]);
  });

  it("publicFetch streams responses, and ends with its signal", async () => {
    const fetch = publicFetch({ allowPrivateAddresses: true });
    const controller = new AbortController();
    const { body } = await fetch(at("127.0.0.1", "/stream"), { signal: controller.signal });
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first");
    controller.abort();
    await expect(reader?.read()).rejects.toThrow("aborted");
    const other = new AbortController();
    const pending = fetch(at("127.0.0.1", "/silent"), { signal: other.signal });
    other.abort();
    await expect(pending).rejects.toThrow("aborted");
  });

  it("publicFetch serves a client, whose error shows that the call was not sent", async () => {
    const card: AgentCard = aCard(at("private.example.com"), {
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
    });
    const client = await connect(card, { fetch: publicFetch() });
    const failure: unknown = await client.getTask({ id: "t" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: "TransportError",
      cause: { name: "PrivateAddressError", syscall: "connect" },
    });
    expect(requests).toEqual([]);
  });
});
