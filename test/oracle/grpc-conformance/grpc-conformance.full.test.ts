import { beforeAll, describe, expect, it } from "vitest";
import { install, runSuite, type Suite } from "./runner.js";

describe("the server of gRPC calls", () => {
  let suite: Suite | undefined;
  let reason = "";

  beforeAll(async () => {
    try {
      suite = await install();
    } catch (error) {
      reason = `the suite cannot be installed with Go: ${String(error)}`;
    }
  }, 180_000);

  it("the server passes all cases for gRPC of the Connect conformance suite", async (context) => {
    if (suite === undefined) {
      context.skip(reason);
      return;
    }
    const { passed, failed, report } = await runSuite(suite);
    expect({ passed: passed > 700, failed }, report).toEqual({ passed: true, failed: 0 });
  }, 180_000);
});
