import { beforeAll, describe, expect, it } from "vitest";
import { install, runSuite, type Suite } from "./runner.js";

describe("the output of a proto with services", () => {
  let suite: Suite | undefined;
  let reason = "";

  beforeAll(async () => {
    try {
      suite = await install();
    } catch (error) {
      reason = `the suite cannot be installed with Go: ${String(error)}`;
    }
  }, 180_000);

  it.for([
    ["server", 700],
    ["client", 200],
  ] as const)(
    "the %s passes the cases for gRPC of the Connect conformance suite",
    { timeout: 900_000 },
    async ([mode, atLeast], context) => {
      if (suite === undefined) {
        context.skip(reason);
        return;
      }
      const { passed, failed, report } = await runSuite(suite, mode);
      expect({ passed: passed > atLeast, failed }, report).toEqual({ passed: true, failed: 0 });
    },
  );
});
