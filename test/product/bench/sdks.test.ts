import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { amount, rate, type Omission, type Result } from "../../../bench/result.js";
import { sdkSummaryOf, sdkTableOf } from "../../../bench/sdk-table.mjs";
import { calls, linesTo, requestFor } from "../../../bench/sdks/calls.js";
import { bytesOf, secondsUsedBy } from "../../../bench/sdks/usage.js";
import { tableOf } from "../../../bench/table.mjs";
import { answer } from "../../../bench/servers/work.js";

const rounds = [2, 4, 6, 8, 10];

/** Returns made-up results of our agent on two versions of Node. */
function onBoth(name: string, peer: string, result: typeof amount, unit: string): Result[] {
  return ["Node 20", "Node 22"].map((runtime, index) => ({
    ...result(`${name}, ${runtime}`, rounds, peer, index + 1, unit),
    runtime,
    load: index + 0.5,
  }));
}

const omission: Omission = {
  name: "A message",
  peerName: "Java SDK 3",
  reason: "it only speaks 0.3",
};

const results: readonly (Result | Omission)[] = [
  ...onBoth("A message", "Go SDK 1", rate, "requests/s"),
  omission,
  ...onBoth("A 0.3 call, a message", "Go SDK 1", rate, "requests/s"),
  ...onBoth("A 0.3 call, a message", "Java SDK 3", rate, "requests/s"),
  ...onBoth("Memory of 10,000 tasks", "Go SDK 1", amount, "MiB"),
  { name: "All rows", peerName: "Rust SDK 2", reason: "cargo cannot be found in the PATH" },
];

describe("the tables of the SDKs of other languages", () => {
  it("the table of all measurements has a row for each runtime, a column for each SDK, and says what is missing and why", () => {
    expect(sdkTableOf(results).split("\n")).toEqual([
      "| What | a2a-codegen | Go SDK 1 | Java SDK 3 |",
      "| --- | --: | --: | --: |",
      "| A message, Node 20 | 6.00 requests/s | 6.00 (2.00–10.0) | – |",
      "| A message, Node 22 | 6.00 requests/s | 3.00 (1.00–5.00) | – |",
      "| A 0.3 call, a message, Node 20 | 6.00 requests/s | 6.00 (2.00–10.0) | 6.00 (2.00–10.0) |",
      "| A 0.3 call, a message, Node 22 | 6.00 requests/s | 3.00 (1.00–5.00) | 3.00 (1.00–5.00) |",
      "| Memory of 10,000 tasks, Node 20 | 6.00 MiB | 0.17 (0.10–0.50) | – |",
      "| Memory of 10,000 tasks, Node 22 | 6.00 MiB | 0.33 (0.20–1.00) | – |",
      "",
      "- Java SDK 3, not measured: A message. Reason: it only speaks 0.3.",
      "- Rust SDK 2, not measured: All rows. Reason: cargo cannot be found in the PATH.",
      "",
      "The load average of the machine was 0.5 to 1.5.",
    ]);
  });

  it("the table of the README compares the last runtime with each SDK", () => {
    const rows = sdkSummaryOf(results)
      .split("\n")
      .map((row) => row.split(" | "));
    expect(rows[0]?.slice(0, 2)).toEqual(["| SDK; a2a-codegen on Node 22", "Message"]);
    expect(rows.slice(2).map(([name, message, , , , old]) => [name, message, old])).toEqual([
      ["| Go SDK 1", "3.00 (1.00–5.00)", "3.00 (1.00–5.00)"],
      ["| Java SDK 3", "–", "3.00 (1.00–5.00)"],
    ]);
  });

  it("the line of a skipped measurement names the SDK and the reason", () => {
    expect(tableOf.line(omission)).toMatch(/skipped +Java SDK 3 +A message: it only speaks 0.3$/);
  });
});

describe("the calls to the agents on SDKs", () => {
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: answer }] };
  const bodyOf = (text: string) => [
    Buffer.from(JSON.stringify({ result: { message: { ...message, parts: [{ text }] } } })),
  ];

  it("a call accepts the response that all agents give, and refuses other responses", () => {
    const [call] = calls;
    expect(() => call?.check(bodyOf(answer))).not.toThrow();
    expect(() => call?.check(bodyOf("Rain"))).toThrow('"Rain" in place of');
    expect(() => call?.check([Buffer.from('{"error":{"code":-32603}}')])).toThrow("refuses");
  });

  it.each(["message", "stream"] as const)(
    "the body of a chunked response to a request for a %s is read to its end",
    async (wish) => {
      const server = createServer((_request, response) => {
        response.writeHead(200);
        for (const part of ["data: {\r\n", "\r\ndata: 1\r\n\r\n"]) response.write(part);
        response.end();
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const [line] = await linesTo({ port, path: "/" }, requestFor(wish, "1.0"), 1);
      try {
        let count = 0;
        for (let left = 3; left > 0; left -= 1) await line?.call((seen) => void (count += seen));
        expect(count).toBe(wish === "message" ? 3 : 6);
        const responses = (await line?.responses())?.map((bytes) => bytes.toString().trim());
        expect(responses).toEqual(wish === "message" ? ["data: {\r\n\r\ndata: 1"] : ["{", "1"]);
      } finally {
        line?.close();
        server.close();
      }
    },
  );
});

describe.runIf(process.platform === "linux")("the use of a process", () => {
  it("the CPU time of a process grows while it works, as Node reports it", () => {
    const before = secondsUsedBy(process.pid);
    const start = process.cpuUsage();
    const used = () => {
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    while (used() < 200_000) JSON.stringify(results);
    expect(secondsUsedBy(process.pid) - before).toBeGreaterThan(0.15);
  });

  it("the memory of a process is about the memory that Node reports", () => {
    const factor = bytesOf(process.pid) / process.memoryUsage.rss();
    expect(factor).toBeGreaterThan(0.8);
    expect(factor).toBeLessThan(1.5);
  });
});
