import { expect, it } from "vitest";
import { callerTest } from "../../../../../tools/agents/conversation/index.js";
import { conversationWith } from "./talking.js";

it("an exported test of a caller closes both agents, even if an expectation fails", async () => {
  const text = callerTest(await conversationWith(["Tea"], "Hi"));
  const [before = ""] = text.split("  expect(");
  expect(before).toContain("onTestFinished(() => scripted.close());");
  expect(before).toContain("onTestFinished(() => agent.close());");
});
