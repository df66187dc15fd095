import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { textReport } from "../../../../tools/probe/report/text.js";
import { htmlReport } from "../../../../tools/probe/report/html.js";
import { agentWith } from "../inspector/command.js";

/** Probes an agent with short limits. Returns the report, and how long the probe took. */
async function probed(
  respond: (response: ServerResponse, body: string) => void,
  card: object = {},
) {
  const url = await agentWith((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => respond(response, body));
  }, card);
  const started = performance.now();
  const report = await probeAgent(url, { allowSend: true, timeoutMs: 1_000, totalMs: 15_000 });
  const judged = {
    report,
    results: report.results,
    unmet: [],
    failOn: "must",
    secrets: [],
  } as const;
  return {
    report,
    text: textReport(judged).join("\n"),
    html: htmlReport(judged).join("\n"),
    ms: performance.now() - started,
  };
}

const attack = `<script>alert(1)</script>\u001b]0;owned\u0007`;

const agents: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "never responds": () => undefined,
  "never ends its body"(response) {
    const timer = setInterval(() => response.write(" "), 20);
    onTestFinished(() => clearInterval(timer));
  },
  "never ends its stream"(response) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(
      () => response.write('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'),
      1,
    );
    onTestFinished(() => clearInterval(timer));
  },
  "closes the connection": (response) => response.destroy(),
  "sends a huge body": (response) => response.end(`{"result":"${"x".repeat(8 * 2 ** 20)}"}`),
  "sends deeply nested JSON": (response) => response.end('{"result":['.repeat(50_000)),
  "sends a list of deep values": (response) =>
    response.end(
      `{"jsonrpc":"2.0","id":1,"result":{"task":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`,
    ),
  "sends bytes that are not text": (response) => response.end(Buffer.from([0, 255, 254, 128, 0])),
  "redirects to itself": (response) => response.writeHead(307, { location: "/" }).end(),
  "sends markup and escape sequences": (response) =>
    response.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id: attack,
        error: { code: attack, message: attack, data: { [attack]: attack } },
      }),
    ),
  "sends members of the prototype": (response) =>
    response.end(
      '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"task":{}},"constructor":1,"task":{"id":{},"status":{"state":{}}}}}',
    ),
};

describe("a probe of a hostile agent", () => {
  it.each(Object.keys(agents))(
    "the probe of an agent that %s ends with failures and without a stack trace",
    async (name) => {
      const { report, text, html, ms } = await probed((response) => agents[name]?.(response));
      expect(ms).toBeLessThan(20_000);
      expect(report.results.some(({ state }) => state === "fail")).toBe(true);
      expect(
        report.results.flatMap(({ id, state, reason }) =>
          state === "error" ? [`${id}: ${reason}`] : [],
        ),
      ).toEqual([]);
      expect(text).not.toMatch(/\n\s+at .*\.[jt]s:\d/);
      expect(html).not.toContain("<script>");
    },
    20_000,
  );

  it("a card with thousands of interfaces and skills is checked within limits", async () => {
    const supportedInterfaces = Array.from({ length: 5_000 }, (_, at) => ({
      url: `http://127.0.0.1:1/${String(at)}`,
      protocolBinding: "JSONRPC",
      protocolVersion: "1.0",
    }));
    const skills = Array.from({ length: 5_000 }, () => ({
      id: attack,
      name: "",
      description: 7,
      tags: {},
    }));
    const { report, html } = await probed((response) => response.end("{}"), {
      supportedInterfaces,
      skills,
    });
    expect(report.lanes.length).toBeLessThanOrEqual(12);
    expect(report.notes.join()).toContain("Only the first 12 of 5000 interfaces were called");
    expect(html.length).toBeLessThan(2 ** 20);
  }, 40_000);
});
