import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { grpcTransports } from "../../../../tools/a2a/grpc.js";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { isFailure } from "../../../../tools/probe/result.js";
import { packageFolder } from "../../../../support/package-folder.js";

/**
 * Probes an agent on an official SDK, and expects exactly the failures in the list of this SDK. A
 * line starts with the id of the rule and the interface, or with a question mark if the failure
 * depends on timing. With the environment variable `UPDATE_EXPECTED`, writes the list instead. Read
 * each new line against the text of its rule.
 */
export async function expectKnownFailures(name: string, url: string): Promise<void> {
  const options = {
    allowSend: true,
    message: "work",
    timeoutMs: 5_000,
    transports: grpcTransports(),
  };
  const { results, notes } = await probeAgent(url, options);
  const found = results.filter(isFailure).map(({ id, lane, level, section, reason }) => {
    const stable = reason
      .replaceAll(/"?[\da-f]{8}-[\da-f-]{27}"?/g, "ID")
      .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
      .slice(0, 70);
    return `${id} ${lane} (${level}, ${section}): ${stable.trim()}`;
  });
  const path = join(packageFolder, "test", "product", "tools", "probe", "known", `${name}.txt`);
  const listed = () => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  const unsteady = listed().filter((line) => line.startsWith("? "));
  const steady = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith("? ") && !isAmong(line, unsteady)).sort();
  if (process.env["UPDATE_EXPECTED"] !== undefined)
    writeFileSync(path, `${[...unsteady, ...steady(found)].join("\n")}\n`);
  expect([steady(found).map(keyOf), notes]).toEqual([steady(listed()).map(keyOf), []]);
}

const keyOf = (line: string) => line.replace(/^\? /, "").split(":")[0] ?? "";
const isAmong = (line: string, lines: readonly string[]) => lines.map(keyOf).includes(keyOf(line));
