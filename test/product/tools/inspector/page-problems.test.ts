import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { startInspector } from "../../../../tools/inspector/server/server.js";
import { aCard } from "../../../support/cards.js";
import { freePort } from "../../../support/free-port.js";
import { json, listen } from "../../../support/http.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { findingsOf, screens } from "../../browser/axe.js";
import { openPage, say, screenshot, startInspectorFor, untilOpen } from "./inspecting.js";

/** Responds to requests for the card with a card. */
function sendCard({ headers }: IncomingMessage, response: ServerResponse) {
  json(response, aCard(`http://${headers.host ?? ""}/`, { name: "Back again" }));
}

const problem = (page: Page) => page.locator(".problem").last();

describeInBrowser("problems on the page of the inspector", (browser) => {
  const inspect = async (url: string, options: Parameters<typeof openPage>[2] = {}) => {
    const { page } = await openPage(browser(), await startInspectorFor(url), options);
    return page;
  };

  it.each(screens)(
    "an agent that does not run has words and its failed call, and opens when it runs, with a %s screen",
    async (name, options) => {
      const port = await freePort();
      const page = await inspect(`http://127.0.0.1:${port}/`, options);
      const shown = problem(page);
      await shown.getByText(`No program listens at 127.0.0.1:${port}`).waitFor();
      await shown.getByText("Start the agent, or check the host and the port").waitFor();
      expect(await shown.innerText()).not.toContain("ECONNREFUSED");
      await page.locator(".calls .call", { hasText: "agent-card.json" }).waitFor();
      await screenshot(page, `${name}-unreachable`);
      expect(await findingsOf(page)).toEqual([]);
      await shown.getByText("Details").click();
      await shown.getByText("ECONNREFUSED").waitFor();
      expect(await findingsOf(page)).toEqual([]);
      const server = createServer(sendCard).listen(port, "127.0.0.1");
      onTestFinished(() => void server.close());
      await once(server, "listening");
      await page.getByRole("button", { name: "Try again" }).click();
      await untilOpen(page);
    },
  );

  it.each(screens)(
    "a page without an agent tells how to open an agent, with a %s screen",
    async (name, options) => {
      const { page } = await openPage(browser(), await startInspectorFor(), options);
      await page.getByRole("heading", { name: /^Which agent/ }).waitFor();
      await page.getByText("a2a demo-server").waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("url");
      await screenshot(page, `${name}-welcome`);
      expect(await findingsOf(page)).toEqual([]);
    },
  );

  it.each<[string, (response: ServerResponse) => void, string]>([
    ["status 404", (response) => json(response, {}, 404), "No agent card at HOST"],
    [
      "HTML",
      (response) => response.setHeader("content-type", "text/html").end("<h1>Shop</h1>"),
      "No agent card at HOST",
    ],
    ["status 503", (response) => json(response, {}, 503), "HOST failed with HTTP status 503"],
    ["status 429", (response) => json(response, {}, 429), "HOST limits requests"],
    [
      "no response",
      (response) => void response.destroy(),
      "HOST closed the connection without a response in HTTP",
    ],
  ])("a server that answers with %s has its own words", async (_name, respond, headline) => {
    const url = await listen((_request, response) => respond(response));
    const page = await inspect(url);
    await problem(page)
      .getByText(headline.replace("HOST", new URL(url).host))
      .waitFor();
  });

  it("unknown hosts, and ports that do not use TLS, have their own words", async () => {
    const page = await inspect("http://a.invalid/");
    await problem(page).getByText("The host name of a.invalid is unknown").waitFor();
    const url = await listen(sendCard);
    const open = async (address: string) => {
      await page.getByRole("textbox", { name: "URL of an agent" }).fill(address);
      await page.getByRole("button", { name: "Open", exact: true }).click();
    };
    await open(url.replace("http:", "https:"));
    await problem(page).getByText("Write http:// instead of https://").waitFor();
    await open("http://");
    await problem(page).getByText('"http://" is not a URL', { exact: true }).waitFor();
    await open(url);
    await untilOpen(page);
  });

  it("the user enters the credentials that the card requires", async () => {
    const url = await listen((request, response) => {
      if (request.headers.authorization === "Bearer s3cret") sendCard(request, response);
      else json(response, {}, 401);
    });
    const page = await inspect(url);
    await problem(page).getByText("The agent requires credentials").waitFor();
    await screenshot(page, "credentials-required");
    const headers = page.locator("#start").getByLabel(/^Headers/);
    await headers.fill("authorization: Bearer wrong");
    await page.getByRole("button", { name: "Try again" }).click();
    await problem(page).getByText("The agent rejected the credentials").waitFor();
    await headers.fill("authorization: Bearer s3cret");
    await page.getByRole("button", { name: "Try again" }).click();
    await untilOpen(page);
  });

  it("a call that fails has words, and a button that repeats it", async () => {
    let answer = (response: ServerResponse): void => void response.destroy();
    const url = await listen((request, response) => {
      if (request.method === "GET") sendCard(request, response);
      else answer(response);
    });
    const page = await inspect(url);
    await untilOpen(page);
    await say(page, "Hello");
    await page
      .locator(".turn .problem")
      .getByText(/closed the connection/)
      .waitFor();
    await page.getByRole("button", { name: "Tasks", exact: true }).click();
    const list = page.locator(".page .note.error");
    await list.getByText(/closed the connection/).waitFor();
    await screenshot(page, "failed-list");
    answer = (response) => {
      json(response, { jsonrpc: "2.0", id: 1, error: { code: -32_001, message: "No such task" } });
    };
    await list.getByRole("button", { name: "Try again" }).click();
    await list.getByText("No such task").waitFor();
    await list.getByText("TaskNotFoundError").waitFor();
    // The agent would say the same again.
    expect(await list.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    const turn = page.locator(".turn.agent");
    await turn.getByRole("button", { name: "Try again" }).click();
    await turn.getByText("No such task").waitFor();
    await screenshot(page, "failed-call");
    expect(await findingsOf(page)).toEqual([]);
    expect(await turn.count()).toBe(1);
  });

  it("the page tells that the inspector has stopped", async () => {
    const inspector = await startInspector({ urls: [await listen(sendCard)] });
    const { page } = await openPage(browser(), inspector.url);
    await untilOpen(page);
    await inspector.close();
    await say(page, "Hello");
    await problem(page).getByText("The inspector has stopped", { exact: true }).waitFor();
    await problem(page).getByText("Start its command again").waitFor();
  });
});
