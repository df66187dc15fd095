import { build } from "esbuild";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../generated/1.1-draft/index.js";
import { withCredentials } from "../../../generated/1.1-draft/kit/client/index.js";
import { jwt } from "../../../library/auth/jwt.js";
import { loopbackReceiver } from "../../../library/auth/loopback.js";
import { oauth } from "../../../library/auth/oauth.js";
import { fileTokenStore } from "../../../library/auth/token-file.js";
import { withFileLock } from "../../../library/auth/token-lock.js";
import { oauthScheme, protectedAgent } from "./agent.js";
import { audience } from "./issuer.js";
import { clientSecret, startProvider } from "./provider.js";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "sign-in-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("a sign-in that the loopback receiver receives", () => {
  it("the client signs in at a real issuer, and the receiver is closed afterwards", async () => {
    const issuer = await startProvider();
    const agent = await protectedAgent(jwt({ issuer: issuer.url, audience }));
    const opened: URL[] = [];
    const open = async (url: URL) => {
      opened.push(url);
      const back = await issuer.browse(url);
      expect(await (await fetch(back)).text()).toBe(
        "You can close this page, and return to the program\n",
      );
    };
    const login = oauth({
      issuer: issuer.url,
      authorizationCode: { clientId: "app", receiver: loopbackReceiver({ open }) },
    });
    const client = await connect(agent.url, { interceptors: [withCredentials({ login })] });
    const ids = await Promise.all(
      ["a", "b", "c"].map(async (id) => (await client.getTask({ id })).id),
    );
    expect(ids).toEqual(["a", "b", "c"]);
    expect(opened).toHaveLength(1);
    const redirect = opened[0]?.searchParams.get("redirect_uri") ?? "";
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    await expect(fetch(redirect)).rejects.toThrow();
  });

  it("the receiver accepts only one request with its host, path, method and state", async () => {
    const attempt = await loopbackReceiver({ open: () => undefined })();
    const base = new URL(attempt.redirectUrl);
    const url = new URL("https://login.test/authorize?state=right");
    const received = attempt.redirectToAuthorization(url);
    const status = (path: string, options: object = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = { host: "127.0.0.1", port: base.port, path, agent: false, ...options };
        httpRequest(sent, (response) => resolve(response.resume().statusCode))
          .once("error", reject)
          .end();
      });
    expect(
      await status("/callback?code=c&state=right", { headers: { host: `evil.test:${base.port}` } }),
    ).toBe(403);
    expect(await status("http://evil.test/callback?code=c&state=right")).toBe(403);
    expect(await status("/callback?code=c&state=right", { method: "POST" })).toBe(405);
    expect(await status("/other?code=c&state=right")).toBe(404);
    for (const query of [
      "",
      "?code=c",
      "?code=c&state=",
      "?code=c&state=wrong",
      "?state=right&state=right",
      "?state=rightx",
    ])
      expect(await status(`/callback${query}`)).toBe(400);
    expect(await status("/callback?code=good&state=right")).toBe(200);
    expect(String(await received)).toBe(`${attempt.redirectUrl}?code=good&state=right`);
    await expect(status("/callback?code=good&state=right")).rejects.toThrow("ECONNREFUSED");
  });

  it("a sign-in fails if the user does not sign in, if the browser does not open, and if the issuer refuses", async () => {
    const slow = await loopbackReceiver({ open: () => undefined, timeoutMs: 20 })();
    await expect(slow.redirectToAuthorization(new URL("https://a.test?state=s"))).rejects.toThrow(
      "did not sign in within 20 ms",
    );
    await expect(fetch(slow.redirectUrl)).rejects.toThrow();
    const open = (): never => {
      throw new Error("no browser");
    };
    const broken = await loopbackReceiver({ open })();
    await expect(broken.redirectToAuthorization(new URL("https://a.test?state=s"))).rejects.toThrow(
      "no browser",
    );
    const issuer = await startProvider();
    const refuse = async (url: URL) => {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({
        error: "access_denied",
        state: url.searchParams.get("state") ?? "",
        iss: issuer.url,
      }).toString();
      await fetch(back);
    };
    const find = oauth({
      issuer: issuer.url,
      authorizationCode: { clientId: "app", receiver: loopbackReceiver({ open: refuse }) },
    });
    await expect(
      (async () => find({ scheme: oauthScheme, scopes: ["ask"], refused: undefined }))(),
    ).rejects.toMatchObject({
      name: "TokenError",
      code: "access_denied",
    });
    expect(() => loopbackReceiver({ open, path: "callback" })).toThrow("`path` must be a path");
  });
});

describe("a token file that several processes share", () => {
  it("two processes replace an expired token with one request", async () => {
    const issuer = await startProvider();
    const path = join(await folder(), "tokens.json");
    const program = join(await folder(), "token-process.mjs");
    const entryPoints = [join(import.meta.dirname, "token-process.ts")];
    await build({
      entryPoints,
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    const run = async () => {
      const child = fork(program, [issuer.url, path, clientSecret]);
      onTestFinished(() => void child.kill());
      const ended = once(child, "exit").then(() =>
        Promise.reject(new Error("The process ended without a token")),
      );
      const [token] = (await Promise.race([once(child, "message"), ended])) as [string];
      return token;
    };
    const tokens = await Promise.all([run(), run()]);
    expect(tokens[0]).toBe(tokens[1]);
    expect(issuer.requests.filter((each) => each === "POST /token")).toHaveLength(1);
    expect((await readdir(join(path, ".."))).sort()).toEqual(["tokens.json"]);
  });

  it("stores in one process exclude each other for the same key, and keep the tokens of all keys", async () => {
    const path = join(await folder(), "tokens.json");
    const [one, two] = [fileTokenStore(path), fileTokenStore(path)];
    let running = 0;
    let most = 0;
    const run = async (store: typeof one) =>
      store.exclusively("same", async () => {
        most = Math.max(most, ++running);
        await store.saveTokens("same", { accessToken: "a", issuedAt: 1 });
        running -= 1;
      });
    await Promise.all(Array.from({ length: 8 }, (_, at) => run(at % 2 === 0 ? one : two)));
    expect(most).toBe(1);
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) =>
        (at % 2 === 0 ? one : two).saveTokens(`k${at}`, { accessToken: "a", issuedAt: at }),
      ),
    );
    for (let at = 0; at < 8; at++)
      expect(await one.tokens(`k${at}`)).toMatchObject({ issuedAt: at });
  });

  it("the lock of a process that has ended is removed, and a lock is released after an error", async () => {
    const path = join(await folder(), "lock");
    for (const time of [new Date(0), new Date(Date.now() + 3_600_000)]) {
      await writeFile(path, "another process");
      await utimes(path, time, time);
      expect(await withFileLock(path, async () => "taken")).toBe("taken");
    }
    expect(
      await Promise.all([1, 2, 3].map((each) => withFileLock(path, async () => each))),
    ).toEqual([1, 2, 3]);
    await expect(withFileLock(path, () => Promise.reject(new Error("failed")))).rejects.toThrow(
      "failed",
    );
    expect(await readdir(join(path, ".."))).toEqual([]);
  });
});
