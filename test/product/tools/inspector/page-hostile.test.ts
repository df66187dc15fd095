import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../../browser/chromium.js";
import {
  openDetails,
  openPage,
  say,
  screenshot,
  startInspectorFor,
  untilOpen,
} from "./inspecting.js";
import { listen } from "../../../support/http.js";

/**
 * Texts that a page which inserts them as markup would run, and sequences that control a terminal
 * or the order.
 */
const markup = `<img src=x onerror="window.hit=1"><script>window.hit=2</script><svg onload="window.hit=3"></svg>`;
const hostile = `${markup}\u001b[31m\u202Egnp.exe\u0000javascript:window.hit=4`;
const megabytes = "M".repeat(10 * 2 ** 20);

function cardAt(url: string): object {
  const text = hostile;
  const skill = { id: text, name: text, description: text, tags: [text], examples: [text] };
  return {
    name: text,
    description: `${text}${"d".repeat(100_000)}`,
    version: text,
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: "javascript:window.hit=5", protocolBinding: text, protocolVersion: text },
    ],
    capabilities: { streaming: true, [text]: true },
    defaultInputModes: [text],
    defaultOutputModes: [text],
    skills: Array.from({ length: 500 }, () => skill),
    provider: { organization: text, url: "javascript:window.hit=6" },
    iconUrl: "javascript:window.hit=7",
    documentationUrl: "javascript:window.hit=8",
    securitySchemes: {
      [text]: { apiKeySecurityScheme: { location: text, name: text, description: text } },
    },
    signatures: [{ protected: text, signature: text }],
  };
}

/** Text in Markdown that loads, runs or hides something if a page trusts it. */
const markdown = `# ${hostile}

[run](javascript:window.hit=10) [run](java\u0000script:window.hit=11) <javascript:window.hit=12>
![load](https://a.example/pixel.png) [load](data:text/html,${encodeURIComponent(markup)})
[https://good.example](https://evil.example) [mail](mailto:a@b.example?body=${"b".repeat(100)})
| ${markup} | [run](JaVaScRiPt:window.hit=13) |
|---|---|
| <iframe src="https://a.example"></iframe> | "><b onmouseover="window.hit=14">c</b> |

\`\`\`<script>
${markup}
\`\`\`
${"> - ".repeat(500)}deep ${"*_".repeat(2_000)}`;

/** Events of a stream that an honest client accepts, with as much damage in them as possible. */
const events = [
  { task: { id: hostile, contextId: hostile, status: { state: "TASK_STATE_WORKING" } } },
  ...["text/html", "image/svg+xml", hostile].map((mediaType, index) => ({
    artifactUpdate: {
      taskId: hostile,
      contextId: hostile,
      artifact: {
        artifactId: `${hostile}${index}`,
        name: hostile,
        description: hostile,
        parts: [
          { text: hostile, mediaType: "text/plain" },
          { text: markdown, mediaType: "text/markdown" },
          {
            raw: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${markup}</svg>`).toString(
              "base64",
            ),
            mediaType,
            filename: hostile,
          },
          { url: "javascript:window.hit=9", mediaType, filename: "../../x" },
          { data: { [hostile]: hostile } },
        ],
      },
    },
  })),
  {
    artifactUpdate: {
      taskId: hostile,
      contextId: hostile,
      artifact: { artifactId: "long", parts: [{ text: megabytes }] },
    },
  },
  {
    statusUpdate: {
      taskId: hostile,
      contextId: hostile,
      status: {
        state: "TASK_STATE_COMPLETED",
        message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: hostile }] },
      },
    },
  },
];

async function bodyOf(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Responds to a call with the events, and to other calls with an error full of markup. */
async function respond(request: IncomingMessage, response: ServerResponse) {
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(cardAt(`http://${request.headers.host ?? ""}/`)));
    return;
  }
  const { id, method } = JSON.parse(await bodyOf(request)) as {
    readonly id: unknown;
    readonly method: string;
  };
  if (method !== "SendStreamingMessage") {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_001, message: hostile } }),
    );
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  for (const result of events)
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  response.end();
}

const isUnhurt = async (page: Page) => {
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(
    await page.evaluate(
      "document.querySelectorAll('main script, main svg, main [onerror], main iframe').length",
    ),
  ).toBe(0);
  // No link leads to the page, runs a script, or opens without a question.
  const links = await page.evaluate<string[]>(
    "[...document.links].map((each) => `${each.getAttribute('href')} ${each.target} ${each.rel}`)",
  );
  const allowed =
    /^(?:blob:|(?:https:\/\/(?:a|good|evil)\.example\/|mailto:a@b\.example\?).* _blank noopener noreferrer$)/;
  expect(links.filter((link) => !allowed.test(link))).toEqual([]);
};

describeInBrowser("a hostile agent on the page of the inspector", (browser) => {
  it("the data of a hostile agent is displayed as text everywhere, and nothing that it sends is run or loaded", async () => {
    const url = await listen((request, response) => void respond(request, response));
    const { page, problems } = await openPage(browser(), await startInspectorFor(url));
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await untilOpen(page);
    await openDetails(page);
    expect(await page.locator("h2").first().textContent()).toContain("<img src=x onerror=");
    await isUnhurt(page);
    await say(page, "Hello");
    await page.locator(".state", { hasText: "completed" }).waitFor();
    await page
      .getByRole("button", { name: /^Show more \(10,4\d\d,\d{3} more characters\)$/ })
      .waitFor();
    expect(await page.locator(".turn.agent .text").first().textContent()).toContain(
      "\\u001b[31m\\u202egnp.exe\\u0000",
    );
    for (const part of ["Events", "Request", "Response", "curl"])
      await page
        .getByRole("group", { name: "Part of the call" })
        .getByRole("button", { name: part })
        .click();
    await page.locator(".calls .call").last().click();
    await isUnhurt(page);
    await page.getByRole("link", { name: "https://good.example" }).first().click();
    await page.getByText("The agent has sent a link to evil.example.").waitFor();
    await page.getByRole("button", { name: "Stay here" }).click();
    await page.locator(".turn").getByRole("button", { name: "Timeline", exact: true }).click();
    await page.locator(".entry[data-kind=state]", { hasText: "completed" }).waitFor();
    expect(await page.locator(".entries").textContent()).toContain("Artifact <img src=x onerror=");
    expect(await page.locator(".entries").textContent()).toContain("\\u202egnp.exe");
    await isUnhurt(page);
    await page.getByRole("button", { name: "Tasks", exact: true }).click();
    await page.getByText("TaskNotFoundError").waitFor();
    await isUnhurt(page);
    await screenshot(page, "hostile");
    expect(
      requested.filter(
        (each) => !each.startsWith(new URL(page.url()).origin) && !each.startsWith("blob:"),
      ),
    ).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("with a card that is not an object, or not JSON, gets a message instead of a page", async () => {
    for (const [body, message] of [
      ["[1, 2]", "the card is not a JSON object"],
      [markup, "No agent card at"],
    ] as const) {
      const url = await listen((_request, response) =>
        response.setHeader("content-type", "application/json").end(body),
      );
      const { page, problems } = await openPage(browser(), await startInspectorFor(url));
      await page.getByText(message).first().waitFor();
      expect(problems).toEqual([]);
    }
  });

  it("with a stream without an end neither blocks the page nor keeps the button Stop from ending it", async () => {
    let ended = (): void => undefined;
    const hasEnded = new Promise<void>((resolve) => (ended = resolve));
    const url = await listen((request, response) => {
      if (request.method === "GET") return void respond(request, response);
      void bodyOf(request).then((body) => {
        const { id, method } = JSON.parse(body) as {
          readonly id: unknown;
          readonly method: string;
        };
        if (method !== "SendStreamingMessage")
          return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
        response.setHeader("content-type", "text/event-stream");
        pipeline(Readable.from(endless(id)), response, () => ended());
      });
    });
    const { page, problems } = await openPage(browser(), await startInspectorFor(url));
    await untilOpen(page);
    await say(page, "Hello");
    await page.getByText(/^[\d,]{5,} earlier messages are in the call$/).waitFor();
    await page.locator(".note", { hasText: "More artifacts are in the call" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await hasEnded;
    await page.locator(".note", { hasText: "You have ended this call" }).waitFor();
    expect(await page.locator("main *").count()).toBeLessThan(20_000);
    expect(problems).toEqual([]);
  });
});

/** Events of one task without an end: progress, new artifacts, and a growing artifact. */
function* endless(id: unknown): Generator<string> {
  const ids = { taskId: "t", contextId: "c" };
  const line = (result: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
  yield line({ task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } });
  for (let index = 0; ; index += 1) {
    const message = { messageId: `m-${index}`, role: "ROLE_AGENT", parts: [{ text: hostile }] };
    yield line({ statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING", message } } });
    yield line({
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: `a-${index}`, parts: [{ text: hostile }] },
      },
    });
    yield line({
      artifactUpdate: {
        ...ids,
        append: true,
        artifact: { artifactId: "a-0", parts: [{ text: hostile }] },
      },
    });
  }
}
