import type { IncomingMessage } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { bearerTokens } from "../../../../examples/echo-agent/auth.js";
import { agentCard } from "../../../../examples/echo-agent/card.js";
import { startEchoAgent, type EchoAgentOptions } from "../../../../examples/echo-agent/server.js";
import { startEchoAgent as startEchoAgent0_3 } from "../../../../examples/echo-agent-0.3/server.js";
import { signCard } from "../../../../generated/1.0/kit/index.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { draftAgent } from "../probe/draft-agent.js";
import {
  openDetails,
  openPage,
  say,
  screenshot,
  startInspectorFor,
  untilOpen,
} from "./inspecting.js";
import { aCard } from "../../../support/cards.js";
import { json, listen, listenAt } from "../../../support/http.js";
import { jsonOf, keyPair } from "../../../support/keys.js";

async function echoAgent(options: EchoAgentOptions = {}) {
  const agent = await startEchoAgent({
    onError: () => undefined,
    push: { allowPrivateAddresses: true },
    ...options,
  });
  onTestFinished(() => agent.close());
  return agent;
}

async function earlierAgent() {
  const agent = await startEchoAgent0_3({ onError: () => undefined });
  onTestFinished(() => agent.close());
  return agent.url;
}

describeInBrowser("the page of the inspector", (browser) => {
  const inspect = async (url: string) => {
    const opened = await openPage(browser(), await startInspectorFor(url));
    await untilOpen(opened.page);
    return opened;
  };

  it("the page displays the card, which interfaces respond, and the answer to a message with each exchange", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    expect(await page.getByRole("heading", { name: "Echo agent" }).count()).toBe(1);
    await page
      .getByText(/^responds, /)
      .nth(1)
      .waitFor();
    await say(page, "Hello there");
    await page.getByRole("region", { name: "Artifact echo" }).getByText("Hello there").waitFor();
    await page.locator(".state", { hasText: "completed" }).waitFor();
    await page.getByRole("option", { name: /ms task [\w-]+… submitted, 1 message$/ }).click();
    expect(await page.locator(".event").textContent()).toContain('"TASK_STATE_SUBMITTED"');
    expect(await page.locator(".event .json-key").first().textContent()).toBe('"jsonrpc"');
    await page.getByRole("option", { name: /artifact echo \+5 B, last chunk: there$/ }).waitFor();
    await page.getByRole("option", { name: "status COMPLETED" }).waitFor();
    await page.getByRole("button", { name: "Request" }).click();
    expect(await page.locator(".detail-body").textContent()).toContain('"SendStreamingMessage"');
    await page.getByRole("button", { name: "curl" }).click();
    expect(await page.locator(".detail-body").textContent()).toContain("curl -sSN -X POST");
    await screenshot(page, "first-answer");
    expect(problems).toEqual([]);
  });

  it("the page answers a question in the same task", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    await say(page, "ask Which color?");
    await page.getByText("waits for your answer").waitFor();
    await say(page, "Blue");
    await page.getByRole("region", { name: "Artifact echo" }).getByText("Blue").waitFor();
    const ids = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.turn-head code')].map((each) => each.title)",
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(problems).toEqual([]);
  });

  it("the page follows a running task in a second stream, cancels it, and lists it", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    await say(page, "slow 60000 One two three four");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.locator(".calls .call", { hasText: "SubscribeToTask" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".turn-head").getByText("canceled").waitFor();
    await page.getByRole("button", { name: "Tasks" }).click();
    await page.getByRole("cell", { name: "canceled" }).waitFor();
    await page.getByText("1 of 1 tasks").waitFor();
    expect(problems).toEqual([]);
  });

  it("the page sends and receives files and data, and displays an image", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    const dot =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await page.setInputFiles("#files", [
      { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") },
      {
        name: "page.html",
        mimeType: "text/html",
        buffer: Buffer.from("<script>alert(1)</script>"),
      },
    ]);
    await page.getByText("Data and webhook").click();
    await page.getByRole("textbox", { name: "JSON" }).fill('{ "color": "blue" }');
    await say(page, "Files");
    const agent = page.locator(".turn.agent");
    await agent.getByText('"color": "blue"').waitFor();
    await agent.getByRole("img", { name: "dot.png" }).waitFor();
    await page.waitForFunction("document.querySelector('.agent img').naturalWidth === 1");
    const downloading = page.waitForEvent("download");
    await agent.getByRole("link", { name: "Download page.html" }).click();
    expect((await downloading).suggestedFilename()).toBe("page.html");
    expect(problems).toEqual([]);
  });

  it("the page sends a message once while it reads the files, and keeps later files", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    await page.setInputFiles("#files", [
      { name: "one.txt", mimeType: "text/plain", buffer: Buffer.from("1") },
    ]);
    await page.evaluate(`{
      const form = document.querySelector(".composer");
      form.querySelector("textarea").value = "Files";
      form.requestSubmit();
      form.requestSubmit();
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["2"], "two.txt"));
      form.dispatchEvent(new DragEvent("drop", { dataTransfer }));
    }`);
    await page.locator(".state", { hasText: "completed" }).first().waitFor();
    expect(await page.locator(".turn.user").count()).toBe(1);
    expect(await page.locator(".chips li").allTextContents()).toEqual([
      expect.stringMatching(/^two\.txt/),
    ]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".turn.user").nth(1).getByText("two.txt").waitFor();
    expect(problems).toEqual([]);
  });

  it("the button for more of a JSON text is labelled once per click", async () => {
    const more = Array.from({ length: 12_000 }, (_, index) => index);
    const url = await listenAt((at) => (_request, response) => {
      json(response, { ...aCard(at), more });
    });
    const { page } = await inspect(url);
    await openDetails(page);
    const changes = await page.evaluate(`{
      const button = document.querySelector("#agent .json > button");
      const observer = new MutationObserver(() => undefined);
      observer.observe(button, { childList: true });
      button.click();
      observer.takeRecords().length;
    }`);
    expect(changes).toBe(1);
  });

  it("the page adds a webhook of its own receiver to a task, and displays the requests of the agent", async () => {
    const { page, problems } = await inspect((await echoAgent()).url);
    await page.getByText("Data and webhook").click();
    await page.getByRole("checkbox", { name: /webhook receiver/ }).check();
    await say(page, "ask Why?");
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByText("The agent has added webhook").waitFor();
    const received = page.locator(".received summary", { hasText: "status INPUT REQUIRED: Why?" });
    await received.first().click();
    await page.locator(".received").getByText("TASK_STATE_INPUT_REQUIRED").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("the page calls an interface at another origin, and gRPC, only after the user has allowed it", async () => {
    const { page } = await inspect((await echoAgent()).url);
    await page.getByRole("radio", { name: "GRPC" }).check();
    await say(page, "Too early");
    await page.getByRole("button", { name: "Do not call" }).click();
    await page
      .getByText(/Confirm that .* may be called/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Allow calls" }).click();
    await page
      .getByText(/^responds, /)
      .nth(2)
      .waitFor();
    await say(page, "Over gRPC");
    await page.getByRole("region", { name: "Artifact echo" }).getByText("Over gRPC").waitFor();
    await page
      .getByRole("button", { name: /^SendStreamingMessage \(gRPC\)/ })
      .first()
      .waitFor();
  });

  it.each([
    [
      "1.1-draft",
      "1.1",
      () => draftAgent({ isAlone: true }),
      "Artifact result",
      "one two",
      "1 of 1 tasks",
    ],
    ["1.0", "1.0", async () => (await echoAgent()).url, "Artifact echo", "Hello", "1 of 1 tasks"],
    ["0.3", "0.3", earlierAgent, "Artifact", "Hello", /ListTasks.*0\.3|0\.3.*ListTasks/i],
  ])(
    "the page chats over gRPC with an agent of %s, and lists its tasks if the version has lists",
    async (_name, version, start, artifact, text, listed) => {
      const { page, problems } = await inspect(await start());
      await page.getByRole("radio", { name: new RegExp(`^GRPC ${version}`) }).check();
      await page.getByRole("button", { name: "Allow calls" }).click();
      await page
        .getByText(/^responds, /)
        .nth(2)
        .waitFor();
      await say(page, "Hello");
      await page.getByRole("region", { name: artifact }).getByText(text).waitFor();
      await page.locator(".state", { hasText: "completed" }).waitFor();
      await page
        .getByRole("button", { name: /^SendStreamingMessage \(gRPC\)/ })
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Tasks" }).click();
      await page.getByText(listed).first().waitFor();
      expect(problems).toEqual([]);
    },
  );

  it("the page calls an agent of 0.3", async () => {
    const { page, problems } = await inspect(await earlierAgent());
    await page.getByText("A2A 0.3").waitFor();
    await say(page, "Earlier");
    await page
      .getByRole("region", { name: /^Artifact/ })
      .getByText("Earlier")
      .waitFor();
    await page.locator(".state", { hasText: "completed" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("the page sends the credentials that the card declares, and shows placeholders in the exchange", async () => {
    const seen: (string | undefined)[] = [];
    const known = bearerTokens(new Map([["s3cret", "ada"]]));
    const { url } = await echoAgent({
      authenticate: (call) => {
        seen.push(call.headers.get("authorization"));
        return known(call);
      },
    });
    const { page, problems } = await inspect(url);
    await page.getByLabel(/bearer token/).fill("s3cret");
    await say(page, "Signed in");
    await page.locator(".state", { hasText: "completed" }).waitFor();
    expect(seen).toContain("Bearer s3cret");
    await page.getByRole("button", { name: "curl" }).click();
    const command = await page.locator(".detail-body").textContent();
    expect(command).toContain("authorization: Bearer <authorization>");
    expect(command).not.toContain("s3cret");
    expect(problems).toEqual([]);
  });

  it("the page verifies the signatures of the card with keys that the user trusts", async () => {
    const pair = await keyPair();
    const card = agentCard({ url: "http://127.0.0.1:1", grpcUrl: "127.0.0.1:1", hasUsers: false });
    const signed = JSON.stringify(await signCard(card, { key: pair.privateKey, kid: "key-1" }));
    const url = await listen((_request, response) =>
      response.setHeader("content-type", "application/json").end(signed),
    );
    const { page, problems } = await inspect(url);
    await page.getByText("Signed by key-1 (ES256), not verified").waitFor();
    const keys = page.getByLabel(/^Keys that you trust/);
    await keys.fill("http://a.example/keys");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/^Invalid signature: /).waitFor();
    await keys.fill(JSON.stringify({ keys: [await jsonOf(pair.publicKey, "key-1")] }));
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Verified: key-1").waitFor();
    expect(problems).toEqual([]);
  });

  it("a late check of the signatures of an agent does not change the next agent", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const signatures = [{ protected: btoa('{"alg":"ES256","kid":"key-1"}'), signature: "AA" }];
    const listenWith = (members: object) =>
      listenAt((at) => (_request, response) => json(response, aCard(at, members)));
    const { page } = await inspect(await listenWith({ signatures }));
    await page.route("**/fetch", async (route) => {
      if (route.request().postData()?.includes("/keys") !== true) return route.continue();
      await released;
      return route.abort();
    });
    await page.getByLabel(/^Keys that you trust/).fill("https://a.example/keys");
    await page.getByRole("button", { name: "Verify" }).click();
    const call = page.locator(".calls .call", { hasText: "/keys" });
    await call.getByText("running").waitFor();
    await page.getByLabel("URL of an agent").fill(await listenWith({}));
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("Not signed").waitFor();
    release();
    await call.getByText("failed").waitFor();
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
    expect(await page.getByText(/^Invalid signature/).count()).toBe(0);
    await page.getByText("Not signed").waitFor();
  });

  it.each([
    ["header", "x-word", (request: IncomingMessage) => request.headers["x-word"]],
    [
      "query",
      "word",
      ({ url = "" }: IncomingMessage) => new URL(url, "http://a").searchParams.get("word"),
    ],
    [
      "cookie",
      "word",
      ({ headers }: IncomingMessage) => /word=(\S+)/.exec(headers.cookie ?? "")?.[1],
    ],
  ])(
    "the page sends an API key in the %s that the card declares, and does not show it",
    async (location, name, read) => {
      const seen = new Set<unknown>();
      const url = await listen((request, response) => {
        const card = agentCard({
          url: `http://${request.headers.host ?? ""}/`,
          grpcUrl: "127.0.0.1:1",
          hasUsers: false,
        });
        const securitySchemes = { key: { apiKeySecurityScheme: { location, name } } };
        if (request.method === "POST") seen.add(read(request));
        response
          .setHeader("content-type", "application/json")
          .end(JSON.stringify({ ...card, securitySchemes }));
      });
      const { page } = await inspect(url);
      await page.getByLabel(/API key/).fill("s3cret");
      await say(page, "Hello");
      await page.locator(".note.error").first().waitFor();
      expect(seen).toContain("s3cret");
      for (const part of ["Request", "curl"]) {
        await page
          .getByRole("group", { name: "Part of the call" })
          .getByRole("button", { name: part })
          .click();
        await openDetails(page);
        expect(await page.locator(".detail-body").textContent()).not.toContain("s3cret");
      }
    },
  );

  it("the page opens the agent, the interface and the task of a link", async () => {
    const { page } = await inspect((await echoAgent()).url);
    await page.getByRole("radio", { name: "HTTP+JSON" }).check();
    await say(page, "Linked");
    await page.locator(".state", { hasText: "completed" }).waitFor();
    await page.waitForFunction("location.hash.includes('task=')");
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("region", { name: "Artifact echo" }).getByText("Linked").waitFor();
    expect(await page.getByRole("radio", { name: "HTTP+JSON" }).isChecked()).toBe(true);
  });

  it("the page asks before it calls the agent of a link that the user has not named", async () => {
    const [known, other] = [await echoAgent(), await echoAgent()];
    const url = (await startInspectorFor(known.url)).replace(
      /#.*/,
      `#url=${encodeURIComponent(other.url)}`,
    );
    const { page } = await openPage(browser(), url);
    await page.getByRole("button", { name: "Do not call" }).click();
    await page.locator("#start", { hasText: /Confirm that .* may be called/ }).waitFor();
    await page.getByRole("textbox", { name: "URL of an agent" }).press("Enter");
    await untilOpen(page);
  });
});
