import { promises, type LookupAddress } from "node:dns";
import { request as httpRequest } from "node:http";
import { describe, expect, it, onTestFinished, vi, type MockInstance } from "vitest";
import { isLinkLocal, Reach } from "../../../../tools/inspector/server/reach.js";
import { startInspector } from "../../../../tools/inspector/server/server.js";
import {} from "./inspecting.js";
import { listen } from "../../../support/http.js";

/**
 * Starts an inspector and returns its origin, its path, and functions that call it as the page
 * does.
 */
async function start(...urls: readonly string[]) {
  const inspector = await startInspector({ urls });
  onTestFinished(() => inspector.close());
  const { origin, pathname } = new URL(inspector.url);
  const post = (path: string, value: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}${pathname}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(value),
    });
  const forward = (url: string, more: object = {}) =>
    post("fetch", { url, method: "GET", headers: {}, follow: true, ...more });
  const config = async () =>
    (await (await fetch(`${origin}${pathname}config`)).json()) as {
      readonly hookUrl: string;
      readonly origins: string[];
    };
  return { origin, pathname, post, forward, config };
}

/** Sends a request with any headers, which `fetch` would not. */
async function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<number> {
  return await new Promise((resolve, reject) => {
    httpRequest(url, { headers, method }, (response) => resolve(response.resume().statusCode ?? 0))
      .on("error", reject)
      .end();
  });
}

describe("the server of the inspector", () => {
  it("the server listens on the loopback address only, with a new token in each URL", async () => {
    const [first, second] = [await start(), await start()];
    expect(first.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.pathname).toMatch(/^\/[\w-]{24}\/$/);
    expect(second.pathname).not.toBe(first.pathname);
  });

  it.each([
    ["without the token", "/", {}, 404],
    ["with a wrong token", "/aaaaaaaaaaaaaaaaaaaaaaaa/", {}, 404],
    [
      "for the host name of an attacker that resolves to 127.0.0.1",
      undefined,
      { host: "attacker.example:80" },
      403,
    ],
    ["with the origin of another page", undefined, { origin: "http://attacker.example" }, 403],
    ["with the origin of a page without an origin", undefined, { origin: "null" }, 403],
    ["that a browser sends for another site", undefined, { "sec-fetch-site": "cross-site" }, 403],
    [
      "that a browser sends for another port of this machine",
      undefined,
      { "sec-fetch-site": "same-site" },
      403,
    ],
  ])("the server refuses a request %s", async (_title, path, headers, status) => {
    const { origin, pathname } = await start();
    for (const file of ["", "page.js", "config", "hooks"])
      expect(await statusOf(`${origin}${path ?? pathname}${file}`, headers)).toBe(status);
    for (const file of ["fetch", "origins", "grpc-call"])
      expect(await statusOf(`${origin}${path ?? pathname}${file}`, headers, "POST")).toBe(status);
  });

  it("the server refuses a request that a form of another page could send", async () => {
    const { post } = await start();
    expect(
      (await post("origins", { url: "http://a.example" }, { "content-type": "text/plain" })).status,
    ).toBe(502);
  });

  it("the server sends a policy with the page that allows scripts and connections only for its own origin", async () => {
    const { origin, pathname } = await start();
    const { headers } = await fetch(`${origin}${pathname}`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    );
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("the server serves the page compressed with Brotli, with gzip, or not at all, as the client accepts", async () => {
    const { origin, pathname } = await start();
    const texts = await Promise.all(
      ["br", "gzip", "identity"].map(async (encoding) => {
        const response = await fetch(`${origin}${pathname}page.js`, {
          headers: { "accept-encoding": encoding },
        });
        return [response.headers.get("content-encoding"), await response.text()];
      }),
    );
    expect(texts.map(([encoding]) => encoding)).toEqual(["br", "gzip", null]);
    expect(new Set(texts.map(([, text]) => text)).size).toBe(1);
  });
});

describe("a request that the page asks the command to send", () => {
  it("a request reaches an origin that the user has named, with its headers, and returns status, headers and body", async () => {
    const url = await listen((request, response) => {
      response
        .writeHead(418, { "x-agent": "yes", "content-type": "text/html" })
        .end(`seen ${String(request.headers["x-a"])}`);
    });
    const { forward } = await start(url);
    const response = await forward(`${url}/path`, { headers: { "x-a": "b" } });
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(await response.text()).toBe("seen b");
    const head = JSON.parse(
      decodeURIComponent(response.headers.get("x-inspect-head") ?? ""),
    ) as object;
    expect(head).toMatchObject({ status: 418, url: `${url}/path`, headers: { "x-agent": "yes" } });
  });

  it("a request to another origin is refused until the user has confirmed the origin", async () => {
    let calls = 0;
    const url = await listen((_request, response) => response.end(String((calls += 1))));
    const { forward, post } = await start();
    const refused = await forward(url);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "origin", origin: url });
    expect(calls).toBe(0);
    await post("origins", { url });
    expect(await (await forward(url)).text()).toBe("1");
  });

  it("a request follows redirects within the origin, but never to another origin, not even to a confirmed origin", async () => {
    const other = await listen((_request, response) => response.end("other"));
    const url = await listen(({ url: path }, response) => {
      if (path === "/end") response.end("end");
      else response.writeHead(302, { location: path === "/inside" ? "/end" : other }).end();
    });
    const { forward } = await start(url, other);
    expect(await (await forward(`${url}/inside`)).text()).toBe("end");
    const outside = await forward(`${url}/outside`);
    expect(await outside.json()).toMatchObject({ code: "refused", origin: other });
    const unfollowed = await forward(`${url}/outside`, { follow: false });
    expect(decodeURIComponent(unfollowed.headers.get("x-inspect-head") ?? "")).toContain(
      '"status":302',
    );
  });

  it("a request ends at the agent when the page ends it", async () => {
    let closed = (): void => undefined;
    const ended = new Promise<void>((resolve) => (closed = resolve));
    const url = await listen((_request, response) => {
      response.once("close", () => closed());
      response.write("first");
    });
    const { origin, pathname } = await start(url);
    const leaving = new AbortController();
    const body = JSON.stringify({ url, method: "GET", headers: {}, follow: true });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${origin}${pathname}fetch`, {
      method: "POST",
      headers,
      body,
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await ended;
  });
});

describe("Reach", () => {
  it.each([
    "169.254.169.254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "fd00:ec2::254",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "::169.254.169.254",
  ])("Reach knows that %s is link-local", (address) => {
    expect(isLinkLocal(address)).toBe(true);
  });

  it.each(["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1", "example.com", ""])(
    "Reach knows that %j is not link-local",
    (address) => {
      expect(isLinkLocal(address)).toBe(false);
    },
  );

  it.each([
    "http://169.254.169.254/latest",
    "http://[fe80::1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://2852039166/",
  ])(
    "Reach refuses %s, even if it is confirmed on the page, unless it is named on the command line",
    (url) => {
      const reach = new Reach([]);
      reach.confirm(url);
      expect(() => reach.check(url)).toThrow("link-local");
      expect(() => new Reach([url]).check(url)).not.toThrow();
    },
  );

  it("Reach refuses a host name that resolves to a link-local address when the connection is made", async () => {
    const reach = new Reach([]);
    reach.confirm("http://localhost:1");
    const found = await new Promise((resolve) => {
      reach.lookupFor("http://localhost:1")("169.254.169.254", { all: true }, (error) =>
        resolve(error?.message),
      );
    });
    expect(found).toContain("link-local");
  });

  it("Reach refuses a gRPC target if any of its addresses is link-local, because gRPC chooses among them", async () => {
    const address = (text: string): LookupAddress => ({ address: text, family: 4 });
    const found = vi.spyOn(promises, "lookup") as unknown as MockInstance<
      () => Promise<LookupAddress[]>
    >;
    onTestFinished(() => found.mockRestore());
    const reach = new Reach([]);
    reach.confirm("http://agent.example:1");
    found.mockResolvedValue([address("127.0.0.1"), address("169.254.169.254")]);
    await expect(reach.resolve("http://agent.example:1")).rejects.toThrow("link-local");
    found.mockResolvedValue([address("127.0.0.1"), address("127.0.0.2")]);
    await expect(reach.resolve("http://agent.example:1")).resolves.toBeUndefined();
  });

  it.each(["file:///etc/passwd", "unix:/var/run/docker.sock", "ftp://a.example", "no url"])(
    "Reach refuses %s",
    (url) => {
      const reach = new Reach([url]);
      reach.confirm(url);
      expect(() => reach.check(url)).toThrow();
    },
  );
});

describe("the webhook receiver", () => {
  it("the webhook receiver passes requests of agents to the page, also requests that came before the page", async () => {
    const { origin, pathname, config } = await start();
    const { hookUrl } = await config();
    const send = (body: string) =>
      fetch(hookUrl, { method: "POST", body, headers: { "x-agent": "a" } });
    expect((await send("first")).status).toBe(204);
    const events = (await fetch(`${origin}${pathname}hooks`)).body
      ?.pipeThrough(new TextDecoderStream())
      .getReader();
    await send("second");
    let text = "";
    while (!text.includes("second")) text += (await events?.read())?.value ?? "";
    const [first, second] = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = ""]) => JSON.parse(data) as object,
    );
    expect(first).toMatchObject({ body: "first", isTruncated: false, headers: { "x-agent": "a" } });
    expect(second).toMatchObject({ body: "second" });
    await events?.cancel();
  });

  it("the webhook receiver keeps the first MiB of a request, and accepts POST at its own path only", async () => {
    const { config } = await start();
    const { hookUrl } = await config();
    expect((await fetch(hookUrl, { method: "POST", body: "x".repeat(2 ** 21) })).status).toBe(204);
    expect((await fetch(hookUrl)).status).toBe(405);
    expect((await fetch(`${hookUrl}x`, { method: "POST", body: "x" })).status).toBe(404);
  });
});
