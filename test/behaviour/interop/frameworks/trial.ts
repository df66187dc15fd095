import { spawn } from "node:child_process";
import { once } from "node:events";
import { file, startAgent, tea, type AgentOptions } from "./agents.js";

/** A framework that `npm run interop` has installed, and how to start the program of its client. */
export interface Framework {
  readonly name: string;
  readonly versions: readonly AgentOptions["version"][];
  readonly command: {
    readonly program: string;
    readonly args: readonly string[];
    readonly folder: string;
  };
}

/** A message to an agent. */
interface Said {
  readonly text: string;
  readonly withFile?: boolean;
  /** Whether the client aborts its call with the first chunk of the answer. */
  readonly aborts?: boolean;
}

/** An answer, as the client of a framework passes it to its user. */
interface Heard {
  /** The text that the client has streamed. */
  readonly streamed: string;
  /** The text of the result, which the framework keeps for the next agent. */
  readonly kept: string;
  /** Number of files. */
  readonly files: number;
  /** Other facts: the reason of the end, the state of the task, the name of a call. */
  readonly facts: readonly string[];
  readonly error?: string;
}

const none: Heard = { streamed: "", kept: "", files: 0, facts: [] };

/** Results of conversations with an agent. */
interface Played {
  readonly heard: readonly (readonly Heard[])[];
  readonly isAnswered: boolean;
  readonly isCanceled: boolean;
}

/** Columns of the table on the page about interoperability. */
export type Column =
  | "Text"
  | "Text and a file"
  | "The same without streaming"
  | "File to the agent"
  | "Question"
  | "Answer"
  | "Failure"
  | "Error of a bridge"
  | "Task after an abort";

/** Plays all conversations with a client. Returns a short description of what it does for each. */
export async function tryClient(
  { command }: Framework,
  version: AgentOptions["version"],
): Promise<Record<Column, string>> {
  const open = async (
    options: Omit<AgentOptions, "version">,
    ...conversations: readonly (readonly Said[])[]
  ) => {
    const { url, noticed, release } = await startAgent({ version, ...options });
    const heard = await play(command, { url, version, file, conversations });
    const { isAnswered, isCanceled } = noticed;
    release();
    return { heard, isAnswered, isCanceled };
  };
  const [draw, fail] = [{ text: "draw" }, { text: "fail" }];
  const book = [{ text: "book" }, { text: "yes" }];
  const slow = { text: "slow", aborts: true };
  const read = { text: "read", withFile: true };
  const kit = await open({}, [{ text: "tea" }], [draw], [read], book, [fail], [slow]);
  const [[text = none] = [], [both = none] = [], [count = none] = []] = kit.heard;
  const [question = none, answer = none] = kit.heard[3] ?? [];
  const [failure = none] = kit.heard[4] ?? [];
  const [[whole = none] = []] = (await open({ streaming: false }, [draw])).heard;
  const bridge = await open({ isBridge: true }, book, [fail]);
  const [[approval = none, approved = none] = [], [fault = none] = []] = bridge.heard;
  return {
    Text: textCell(text),
    "Text and a file": fileCell(both),
    "The same without streaming": fileCell(whole),
    "File to the agent": (count.kept || count.streamed) === "1 files" ? "good" : "dropped",
    Question: either(outcomeCell(question), outcomeCell(approval)),
    Answer: either(answerCell(kit, answer), answerCell(bridge, approved)),
    Failure: outcomeCell(failure),
    "Error of a bridge": outcomeCell(fault),
    "Task after an abort": kit.isCanceled ? "canceled" : "continues",
  };
}

/** Input of the program of a client. */
interface Given {
  readonly url: string;
  readonly version: string;
  readonly file: typeof file;
  readonly conversations: readonly (readonly Said[])[];
}

/** Runs the program of a client. Returns what the client heard in each conversation. */
async function play(
  { program, args, folder }: Framework["command"],
  given: Given,
): Promise<readonly (readonly Heard[])[]> {
  const child = spawn(program, [...args, JSON.stringify(given)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (printed[name] += text));
  await once(child, "close");
  // Frameworks also print warnings. The last line is the result.
  const line = printed.stdout.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("[")) throw new Error(`${program} ${args.join(" ")}: ${printed.stderr}`);
  return JSON.parse(line) as readonly (readonly Heard[])[];
}

/** Describes how a text arrives that the agent sends in two chunks. */
function textCell({ streamed, kept }: Heard): string {
  if (kept.trim() === tea) return "good";
  const arrived = streamed === tea || streamed + kept === tea ? "streamed, " : "";
  return `${arrived}${kept === "" ? "not kept" : "only the last chunk is kept"}`;
}

function fileCell(heard: Heard): string {
  const text = textCell(heard);
  const losses = [text === "good" ? [] : `text ${text}`, heard.files === 1 ? [] : "file dropped"];
  return losses.flat().join("; ") || "good";
}

/** Describes how a client reports that a task waits for its caller, or has failed. */
function outcomeCell(heard: Heard): string {
  return [contentOf(heard), ...heard.facts.map((fact) => `\`${fact}\``)].join(", ");
}

function contentOf({ error, kept, streamed }: Heard): string {
  if (error !== undefined) return "error";
  return kept + streamed === "" ? "no text" : "text";
}

/** Describes what a client does with the answer to a question. */
function answerCell({ isAnswered }: Played, answer: Heard): string {
  return isAnswered ? `continues the task, ${contentOf(answer)}` : "begins another task";
}

/** Returns what a client does, if it does the same with the kit and with a bridge. */
function either(kit: string, bridge: string): string {
  return kit === bridge ? kit : `${kit}; with a bridge: ${bridge}`;
}
