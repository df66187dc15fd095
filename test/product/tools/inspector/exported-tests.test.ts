import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  agentTest,
  callerTest,
  ConversationLog,
  type Conversation,
} from "../../../../tools/agents/conversation/index.js";
import { openClient, readCard } from "../../../../tools/agents/index.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { say } from "../../../unit/tools/agents/conversation/talking.js";
import { hostileConversation, projectWith, scriptedConversation } from "./exporting.js";
import { echoAgent } from "./command.js";

const vitest = join(packageFolder, "node_modules", "vitest", "vitest.mjs");

/** Runs the tests in a folder, and returns the exit code and the output. */
function runTests(folder: string, env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const args = [vitest, "run", "--root", folder];
    const options = { env: { PATH: process.env["PATH"], ...env }, cwd: folder };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr });
    });
  });
}

/** Records a conversation with an agent at a URL. */
async function conversationAt(url: string, ...texts: readonly string[]): Promise<Conversation> {
  const log = new ConversationLog();
  const { card } = await readCard(url);
  const target = { url, binding: "JSONRPC", version: "1.0", tenant: undefined };
  const client = openClient(target, { interceptors: [log.interceptor] }, card);
  await say(client, ...texts);
  client.close();
  return log.conversation({ url, name: "Echo", binding: "JSONRPC", version: "1.0" });
}

it("exported tests pass, and fail if the agent responds in another way", async () => {
  const url = await echoAgent();
  const conversation = await conversationAt(url, "Hello", "ask What is your name?", "Ada");
  expect(conversation.turns).toHaveLength(3);
  const files = {
    "echo.test.ts": agentTest(conversation),
    "echo-caller.test.ts": callerTest(conversation),
    "tea-caller.test.ts": callerTest(await scriptedConversation()),
    "hostile-caller.test.ts": callerTest(hostileConversation()),
  };
  const folder = projectWith("run", files);
  const { code, output } = await runTests(folder);
  expect([code, output]).toEqual([0, expect.stringContaining("4 passed")]);
  const changed = conversation.turns[0]?.message.parts[0]?.text ?? "";
  const text = agentTest(conversation).replaceAll(changed, "Good-bye").replace("Good-bye", changed);
  const { code: failure, output: report } = await runTests(
    projectWith("changed", { "a.test.ts": text }),
  );
  expect([failure, report]).toEqual([1, expect.stringContaining("1 failed")]);
});
