import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentCard } from "../../../../examples/echo-agent/card.js";
import { inspector } from "../../../../tools/inspector/agent/inspector.js";
import { adaptedOutput } from "../../../support/adapted.js";
import { portOf } from "../../../support/ports.js";
import { findBrowser, startBrowser } from "../../browser/chromium.js";
import { openPage, say, untilOpen } from "./inspecting.js";

/**
 * Starts an agent with these options of its handler, and returns its URL and its handler for
 * `fetch`.
 */
async function start(options: object) {
  const { own } = await adaptedOutput("1.0", []);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${portOf(server)}`;
  const service = own.taskService({
    async *run({ message }) {
      yield own
        .artifact("answer")
        .finish(`You said: ${await Promise.resolve(own.textOf(message))}`);
      return own.completed();
    },
  });
  onTestFinished(() => service.close());
  const card = agentCard({ url, grpcUrl: "127.0.0.1:1", hasUsers: false });
  const agent = own.createAgent({
    card: { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 2) },
    service,
  });
  // The committed outputs may be older than the option.
  server.on(
    "request",
    Reflect.apply(own.nodeListener, undefined, [agent, options]) as RequestListener,
  );
  const fetchOwn = Reflect.apply(own.fetchHandler, undefined, [agent, options]) as (
    request: Request,
  ) => Promise<Response>;
  return { url, fetchOwn, server };
}

describe("the page that an agent serves", () => {
  it("the page is absent by default", async () => {
    const { url } = await start({});
    expect((await fetch(`${url}/inspector/`)).status).toBe(404);
  });

  it("the page is at its path, with a policy for its content, for Node and for `fetch`", async () => {
    const { url, fetchOwn } = await start({ inspector: inspector() });
    const answers = [
      await fetch(`${url}/inspector`),
      await fetchOwn(new Request(`${url}/inspector/`)),
    ];
    for (const answer of answers) {
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await answer.text()).toContain("<title>A2A inspector</title>");
    }
    expect(answers[0]?.url).toBe(`${url}/inspector/`);
    expect(await (await fetch(`${url}/inspector/config`)).json()).toEqual({
      url: "../",
      grpc: false,
      isAgent: true,
    });
    expect((await fetch(`${url}/inspector/other`)).status).toBe(404);
    expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(200);
  });

  it("the page can have another path, which is not the root", async () => {
    const { url } = await start({ inspector: inspector({ path: "/dev/look/" }) });
    expect((await fetch(`${url}/dev/look/page.css`)).status).toBe(200);
    expect((await fetch(`${url}/dev/looks`)).status).toBe(404);
    expect(await (await fetch(`${url}/dev/look/config`)).json()).toMatchObject({ url: "../../" });
    expect(() => inspector({ path: "/" })).toThrow("`path` of the inspector must not be the root");
  });

  const program = findBrowser();
  if (program === undefined) {
    it.skip(
      "the page is not tried in a browser: no chromium, chromium-browser or google-chrome is in the PATH",
    );
    return;
  }

  it("the page calls the agent without a command in between", async () => {
    const browser = await startBrowser(program);
    onTestFinished(() => browser.close());
    const { url } = await start({ inspector: inspector() });
    const { page, problems } = await openPage(browser, `${url}/inspector`);
    await untilOpen(page);
    await say(page, "Hello");
    await page.getByText("You said: Hello").first().waitFor();
    await page.locator(".state", { hasText: "completed" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("a link to another path of the agent opens the agent, and makes no request to that path", async () => {
    const browser = await startBrowser(program);
    onTestFinished(() => browser.close());
    const { url, server } = await start({ inspector: inspector() });
    const requested: string[] = [];
    server.on("request", ({ url: path = "" }: IncomingMessage) => requested.push(path));
    const { page } = await openPage(
      browser,
      `${url}/inspector/#url=${encodeURIComponent(`${url}/uploads/card.json`)}`,
    );
    await untilOpen(page);
    expect(requested).toContain("/.well-known/agent-card.json");
    expect(requested.filter((path) => path.startsWith("/uploads"))).toEqual([]);
  });
});
