import { isInterrupted, isTerminal } from "../../../generated/1.0/kit/client/index.js";
import type { StreamResponse, Task } from "../../../generated/1.0/models.js";
import * as errors from "../../../generated/1.0/errors.js";
import type { Conversation, ConversationTurn } from "./conversation.js";
import { literal } from "./literal.js";
import { outcomesOf, type Outcome } from "./outcome.js";
import type { Part } from "./parts.js";

type Artifact = NonNullable<Task["artifacts"]>[number];

/** A turn and its outcome. */
type Played = readonly [turn: ConversationTurn, outcome: Outcome];

/**
 * Returns a test for Vitest that sends the messages of a conversation to the agent, and expects the
 * same outcome of each turn. The test imports the output from `./a2a`.
 */
export function agentTest(conversation: Conversation): string {
  const { url } = conversation.agent;
  const turns = repeatable(conversation);
  return `import { afterAll, expect, it } from "vitest";
import { remoteAgent } from "./a2a/kit/client/index.js";

const agent = remoteAgent(process.env["AGENT_URL"] ?? ${literal(url)});
afterAll(() => agent.close());

it("the agent responds as in the saved conversation", async () => {
${asks(turns)}${end(conversation, turns)}}, 60_000);
`;
}

/**
 * Returns a test for Vitest with a scripted agent that responds as the agent of a conversation did.
 * Its user replaces the calls by the program that calls the agent. The test imports the output from
 * `./a2a`.
 */
export function callerTest(conversation: Conversation): string {
  const turns = repeatable(conversation);
  const imports = new Set<string>();
  const errorNames = new Set<string>();
  const script = turns.map(([turn]) => {
    if (turn.error === undefined) return scripted(turn, imports);
    errorNames.add(turn.error.name);
    return `new ${turn.error.name}(${literal(turn.error.message)})`;
  });
  const kit = [...imports].sort().join(", ");
  const thrown = [...errorNames].sort().join(", ");
  const lines = [
    'import { expect, it, onTestFinished } from "vitest";',
    ...(thrown === "" ? [] : [`import { ${thrown} } from "./a2a/errors.js";`]),
    'import { remoteAgent } from "./a2a/kit/client/index.js";',
    ...(kit === "" ? [] : [`import { ${kit} } from "./a2a/kit/index.js";`]),
    'import { scriptedAgent } from "./a2a/kit/testing.js";',
  ];
  return `${lines.join("\n")}

it("a caller of the agent of the saved conversation gets its responses", async () => {
  const scripted = scriptedAgent({
${accepted(turns)}    turns: [
${script.map((each) => `      ${each},\n`).join("")}    ],
  });
  onTestFinished(() => scripted.close());
  const agent = remoteAgent(scripted.url, { fetch: scripted.fetch });
  onTestFinished(() => agent.close());
  // Replace these calls by your program.
${asks(turns)}${end(conversation, turns)}});
`;
}

/** Returns the option with which the scripted agent accepts all messages, if it is necessary. */
function accepted(turns: readonly Played[]): string {
  const isText = ({ text, mediaType }: Part): boolean =>
    text !== undefined && (mediaType === undefined || mediaType === "text/plain");
  const areTexts = turns.every(([{ message }]) => message.parts.every(isText));
  return areTexts ? "" : '    card: { defaultInputModes: ["*/*"] },\n';
}

/** Returns the turns up to the first turn that a test cannot repeat. */
function repeatable(conversation: Conversation): Played[] {
  const outcomes = outcomesOf(conversation);
  const played = conversation.turns.flatMap((turn, index): Played[] => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [[turn, outcome]];
  });
  const last = played.findIndex(([turn, outcome]) => !isRepeatable(turn, outcome));
  return last < 0 ? played : played.slice(0, last);
}

function isRepeatable({ canceled, error }: ConversationTurn, { state }: Outcome): boolean {
  if (error !== undefined) return isErrorClass(error.name);
  // A task without an end was stopped by its user.
  const hasEnd = state === undefined || isTerminal(state) || isInterrupted(state);
  return canceled === undefined && hasEnd;
}

/** Returns whether the output exports an error class with a name. The name may be from a file. */
function isErrorClass(name: string): boolean {
  return /^(?!A2AError)[A-Z]\w+Error$/.test(name) && Object.hasOwn(errors, name);
}

function end({ turns }: Conversation, played: readonly Played[]): string {
  if (turns.length === played.length) return "";
  const turn = played.length + 1;
  return `  // Turn ${turn} has no end that a test can repeat, so the test ends here.\n`;
}

/** Returns the calls of a remote agent, and the expected outcomes. */
function asks(turns: readonly Played[]): string {
  /** Variables of the first outcomes with each task and context. */
  const tasks = new Map<string, string>();
  const contexts = new Map<string, string>();
  const blocks = turns.map(([turn, outcome], index) => {
    const { message, events, error } = turn;
    const name = `turn${index + 1}`;
    const [only] = message.parts;
    const isText = message.parts.length === 1 && only?.text !== undefined && isPlain(only);
    const content = literal(isText ? only.text : message.parts, "  ");
    const task = tasks.get(message.taskId ?? "");
    const context = contexts.get(message.contextId ?? "");
    const options = [
      ...(task === undefined ? [] : [`taskId: ${task}.task?.id`]),
      ...(task === undefined && context !== undefined ? [`contextId: ${context}.contextId`] : []),
      ...(message.metadata ? [`metadata: ${literal(message.metadata, "  ")}`] : []),
    ].join(", ");
    const call = `agent.ask(${content}${options === "" ? "" : `, { ${options} }`}).result()`;
    if (error !== undefined)
      return `  await expect(${call}).rejects.toMatchObject({ name: ${literal(error.name)} });\n`;
    if (outcome.task !== undefined && !tasks.has(outcome.task)) tasks.set(outcome.task, name);
    for (const event of events) {
      const id = contextOf(event);
      if (id !== undefined && !contexts.has(id)) contexts.set(id, name);
    }
    const expected = literal(expectation(outcome), "  ");
    return `  const ${name} = await ${call};\n  expect(${name}).toMatchObject(${expected});\n`;
  });
  return blocks.join("");
}

function contextOf({ statusUpdate, artifactUpdate, message }: StreamResponse): string | undefined {
  return (statusUpdate ?? artifactUpdate ?? message)?.contextId;
}

/** Returns the members of the outcome of a remote agent that the test expects. */
function expectation({ state, artifacts, said, replies }: Outcome): object {
  const words = state === undefined ? (replies[0] ?? []) : said;
  const parts = [...artifacts.flatMap((artifact) => artifact.parts), ...words];
  const isText = parts.every(({ text }) => text !== undefined);
  return {
    state: state ?? "TASK_STATE_COMPLETED",
    said: textOf(words),
    ...(isText ? { text: artifactText(artifacts) ?? textOf(words) } : { parts }),
  };
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}

/** Returns the text of artifacts, as a remote agent returns it. */
function artifactText(artifacts: readonly Artifact[]): string | undefined {
  const texts = artifacts.map(({ parts }) => parts.map(({ text = "" }) => text).join(""));
  const present = texts.filter((text) => text !== "");
  return present.length === 0 ? undefined : present.join("\n\n");
}

/** Returns the steps of a scripted agent for a turn. */
function scripted({ events }: ConversationTurn, imports: Set<string>): string {
  const steps = events.flatMap((event, index) => {
    const { statusUpdate, artifactUpdate, message } = event;
    if (message !== undefined) return [call("completed", message.parts, imports)];
    if (artifactUpdate !== undefined) {
      imports.add("artifact");
      return [chunk(artifactUpdate.artifact, artifactUpdate.append === true)];
    }
    const { state = "", message: said } = statusUpdate?.status ?? {};
    const isLast = index === events.length - 1;
    const update = functions[state];
    if (update === undefined || (state === working && said === undefined)) return [];
    return isLast || state === working ? [call(update, said?.parts, imports)] : [];
  });
  return `[\n${steps.map((step) => `        ${step},\n`).join("")}      ]`;
}

const working = "TASK_STATE_WORKING";

/** The functions of the task kit for the states. */
const functions: Readonly<Record<string, string>> = {
  [working]: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "inputRequired",
  TASK_STATE_AUTH_REQUIRED: "authRequired",
};

function call(name: string, parts: readonly Part[] | undefined, imports: Set<string>): string {
  imports.add(name);
  if (parts === undefined) return `${name}()`;
  const [only] = parts;
  const isText = parts.length === 1 && only?.text !== undefined && isPlain(only);
  return `${name}(${literal(isText ? only.text : parts, "        ")})`;
}

function chunk({ artifactId, name, parts }: Artifact, isAppended: boolean): string {
  const [only] = parts;
  const { text, mediaType } = only ?? {};
  const isText = parts.length === 1 && text !== undefined && only?.filename === undefined;
  const type = isText && mediaType !== undefined ? literal(mediaType) : "undefined";
  const options = literal({ id: artifactId, ...(isAppended && { append: true }) });
  const content = isText ? `text(${literal(text)})` : `parts(...${literal(parts, "        ")})`;
  return `artifact(${literal(name ?? artifactId)}, ${type}, ${options}).${content}`;
}

function isPlain({ mediaType, filename }: Part): boolean {
  return mediaType === undefined && filename === undefined;
}
