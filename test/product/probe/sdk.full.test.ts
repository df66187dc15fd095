import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startOldSdk } from "../../behaviour/interop/sdk-0.3.js";
import { startSdk } from "../../behaviour/interop/sdk-1.0.js";
import { grpcTransports } from "../../../generator/inspect/cli/grpc.js";
import { probeAgent } from "../../../generator/inspect/probe/probe.js";
import { isFailure } from "../../../generator/inspect/probe/result.js";
import { packageFolder } from "../../../generator/support/package-folder.js";

const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"];

it.each([
  ["1.0", startSdk],
  ["0.3", startOldSdk],
] as const)(
  "an agent on the official SDK for %s breaks only the rules that it is known to break",
  async (version, start) => {
    const failures = new Set<string>();
    for (const binding of bindings) {
      // Each interface has an agent of its own, so that its list contains its own tasks.
      const host = await start();
      const options = { allowSend: true, message: "work", lanes: [`${binding} ${version}`], timeoutMs: 5_000 };
      const { results } = await probeAgent(host.url, { ...options, transports: grpcTransports() });
      for (const result of results.filter(isFailure)) {
        const reason = result.reason
          .replaceAll(/"?[\da-f]{8}-[\da-f-]{27}"?/g, "ID")
          .replaceAll(/127\.0\.0\.1:\d+/g, "HOST");
        failures.add(`${result.id} ${result.lane}: ${reason.slice(0, 70)}`);
      }
      await host.close();
    }
    const path = join(packageFolder, "test", "product", "probe", `sdk-${version}.expected`);
    if (process.env["UPDATE_EXPECTED"] !== undefined) writeFileSync(path, `${[...failures].sort().join("\n")}\n`);
    const keyOf = (line: string): string => line.split(":")[0] ?? "";
    const known = readFileSync(path, "utf8").trim().split("\n");
    expect([...failures].map(keyOf).sort()).toEqual(known.map(keyOf).sort());
  },
  60_000,
);
