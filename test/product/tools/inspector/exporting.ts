import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  artifact,
  completed,
  failed,
  inputRequired,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { ConversationLog, type Conversation } from "../../../../tools/agents/conversation/index.js";
import { linkLibrary } from "../../../support/linked.js";
import { outFolder } from "../../../support/output.js";
import { say, talkTo } from "../../../unit/tools/agents/conversation/talking.js";

/** Writes exported tests into a project with the output of 1.0, and returns its folder. */
export function projectWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(outFolder, "exported", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(packageFolder, "generated", "1.0"), join(folder, "a2a"), "junction");
  linkLibrary(folder);
  const conditions = ["a2a-codegen-source"];
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } } };
  const all = {
    "package.json": '{ "type": "module" }',
    "vitest.config.js": `export default ${JSON.stringify(config)};\n`,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text);
  return folder;
}

/** Texts that end strings, comments and templates, or change how source code is displayed. */
const hostile = [
  `"); throw new Error("hit"); ("`,
  "'); throw new Error('hit'); //",
  "`${process.exit(3)}`",
  "*/ throw new Error(); /*",
  "\\",
  "\u2028throw new Error()\u2029\n\r\u0085",
  "\u202Egnp.exe\u2066\u200B\uFEFF\u{E0001}",
  "</script><!--",
  "\uD800",
].join(" ");

/** Returns a conversation with an agent that tries to inject code into tests. */
export function hostileConversation(): Conversation {
  const log = new ConversationLog();
  const ids = { taskId: hostile, contextId: hostile };
  const said = { messageId: hostile, role: "ROLE_AGENT" as const, parts: [{ text: hostile }] };
  const data = JSON.parse(JSON.stringify({ x: hostile, [hostile]: [null, 1.5, true] })) as object;
  const members = Object.assign(data, JSON.parse('{"__proto__": {"a": 1}}') as object);
  const part = { data: members as never, mediaType: hostile, filename: hostile };
  const parts = [{ text: hostile }];
  const turn = log.begin({ messageId: "m", role: "ROLE_USER", parts, metadata: { [hostile]: 1 } });
  turn.add({ statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING", message: said } } });
  const artifact = { artifactId: hostile, name: hostile, description: hostile, parts: [part] };
  turn.add({ artifactUpdate: { ...ids, artifact } });
  const question = { ...said, messageId: "q" };
  turn.add({
    statusUpdate: { ...ids, status: { state: "TASK_STATE_INPUT_REQUIRED", message: question } },
  });
  const answer = log.begin({ messageId: "n", role: "ROLE_USER", parts: [part], ...ids });
  answer.add({ statusUpdate: { ...ids, status: { state: "TASK_STATE_FAILED", message: said } } });
  log.begin({ messageId: "o", role: "ROLE_USER", parts }).fail({
    name: "UnsupportedOperationError",
    message: hostile,
  });
  log.begin({ messageId: "p", role: "ROLE_USER", parts }).fail({ name: hostile, message: "" });
  const url = "http://127.0.0.1:9/*/`${process.exit(3)}`";
  return log.conversation({ url, name: hostile, binding: hostile, version: hostile });
}

/** Records a conversation with a scripted agent that does something of each kind. */
export async function scriptedConversation(): Promise<Conversation> {
  const chart = { raw: "AQID", mediaType: "image/png", filename: "chart.png" };
  const { client, log } = await talkTo({
    turns: [
      [working("Looking"), artifact("notes").text("Tea\nor cake"), inputRequired("Which tea?")],
      [
        artifact("notes", undefined, { append: true }).text("!"),
        artifact("report.md", "text/markdown").finish("# Tea"),
        artifact("chart").parts(chart, { data: { price: [1, null] } }),
        completed("Done"),
      ],
      failed("Sold out"),
      "Bye",
    ],
  });
  await say(client, "Tea, please", "Green", "More", "Thanks");
  return log.conversation({
    url: "http://agent.test",
    name: "Tea",
    binding: "JSONRPC",
    version: "1.0",
  });
}
