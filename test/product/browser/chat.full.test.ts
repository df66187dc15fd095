import { getRequestListener } from "@hono/node-server";
import { build } from "esbuild";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ToolLoopAgent } from "ai";
import { createAgent } from "../../../generated/1.0/index.js";
import { taskService } from "../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { model } from "../../../examples/ai-sdk/clerk-model.js";
import { aiAgent } from "../../../library/bridges/ai-sdk.js";
import { packageFolder } from "../../../support/package-folder.js";
import { anyInput } from "../bridges/ai-sdk/scripted.js";
import { aCard } from "../../support/cards.js";
import { openPorts } from "../../support/ports.js";
import { describeInBrowser } from "./chromium.js";

/** Returns the page of the example, with its script. */
async function pageOf(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(packageFolder, "examples", "browser", "chat.tsx")],
    bundle: true,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "error",
  });
  const script = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  return `<!doctype html><meta charset="utf-8"><div id="root"></div><script>${script}</script>`;
}

describeInBrowser("a page with `useChat` before an agent", (browser) => {
  it("the page shows answers as they arrive, and a question is answered by the next message", async () => {
    const { url, http } = await openPorts();
    const mail = { inputSchema: anyInput, execute: () => "Sent to Ada" };
    const clerk = new ToolLoopAgent({
      model,
      tools: { mail },
      toolApproval: { mail: "user-approval" },
    });
    const agent = createAgent({ card: aCard(url), service: taskService(aiAgent(clerk)) });
    http.on("request", nodeListener(agent));

    process.env["AGENT"] = url;
    const { POST } = await import("../../../examples/ai-sdk/chat-route.js");
    const site = await openPorts();
    const html = await pageOf();
    const headers = { "content-type": "text/html" };
    const serve = (request: Request): Response | Promise<Response> =>
      request.method === "POST" ? POST(request) : new Response(html, { headers });
    // Other tests in this process use the classes of Node.
    const listen = getRequestListener(serve, { overrideGlobalObjects: false });
    site.http.on("request", (request, response) => void listen(request, response));

    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(site.url);
    const say = async (text: string, answer: string) => {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText(answer, { exact: true }).waitFor();
    };
    await say("Hi", "Hello!");
    await say("Send a mail to Ada", 'Allow mail({"to":"Ada"})?');
    await say("yes", "The mail is sent.");
    const lines = await page.locator("p").allTextContents();
    expect(lines).toEqual([
      "Hi",
      "Hello!",
      "Send a mail to Ada",
      'Allow mail({"to":"Ada"})?',
      "yes",
      "The mail is sent.",
    ]);
  });
});
