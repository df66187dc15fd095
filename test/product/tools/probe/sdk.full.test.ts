import { expect, it } from "vitest";
import { startOldSdk } from "../../../behaviour/interop/sdk-0.3.js";
import { startSdk } from "../../../behaviour/interop/sdk-1.0.js";
import { expectKnownFailures } from "./known.js";

it.each([
  ["javascript-sdk-1.0", startSdk],
  ["javascript-sdk-0.3", startOldSdk],
] as const)(
  "an agent on the official SDK %s breaks only the rules that it is known to break",
  async (name, start) => {
    expect.hasAssertions();
    const host = await start();
    try {
      await expectKnownFailures(name, host.url);
    } finally {
      await host.close();
    }
  },
  60_000,
);
