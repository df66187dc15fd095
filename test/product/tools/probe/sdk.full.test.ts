import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { startOldSdk } from "../../../behaviour/interop/sdk-0.3.js";
import { startSdk } from "../../../behaviour/interop/sdk-1.0.js";
import { expectKnownFailures } from "./known.js";

it.each([
  ["javascript-1.0", "@a2a-js/sdk", startSdk],
  ["javascript-0.3", "a2a-sdk-0.3", startOldSdk],
] as const)(
  "an agent on the official SDK %s breaks exactly the rules in the list of the package",
  async (name, module, start) => {
    expect.hasAssertions();
    const description = join(packageFolder, "node_modules", module, "package.json");
    const { version } = JSON.parse(readFileSync(description, "utf8")) as { version: string };
    const host = await start();
    try {
      await expectKnownFailures(name, version, host.url);
    } finally {
      await host.close();
    }
  },
  60_000,
);
