import { MessageSchema, StreamResponseSchema } from "../../../generated/1.0/validators.js";
import { check } from "a2a-codegen-runtime/internal/schema";
import { isObject } from "../findings.js";
import { ConversationError, type Conversation, type ConversationAgent } from "./conversation.js";
import { ConversationLog } from "./log.js";

/** Maximum number of turns in a file. */
const maxTurns = 1_000;

/** Maximum number of events in a file. */
const maxEvents = 50_000;

/** Maximum depth of the values in a file, which limits recursion. */
const maxDepth = 100;

/** Maximum number of characters in a file. */
const maxLength = 2 ** 26;

/** Returns a conversation as the text of a file. */
export function writeConversation(conversation: Conversation): string {
  return `${JSON.stringify(conversation, null, 2)}\n`;
}

/**
 * Reads a saved conversation. The file may have been edited, so all members are checked, and ids,
 * timestamps and repetitions are removed again.
 *
 * @throws {ConversationError} with the path of the first wrong member
 */
export function readConversation(file: string): Conversation {
  if (file.length > maxLength)
    throw invalid("", `has ${file.length.toLocaleString("en")} characters`, sizeHint);
  const value = parsed(file);
  if (isDeep(value)) throw invalid("", `is nested more than ${maxDepth} levels deep`);
  const format = member(value, "/format", text);
  if (format !== "a2a-conversation") throw invalid("/format", 'must be "a2a-conversation"');
  if (member(value, "/version", number) !== 1)
    throw invalid("/version", "must be 1", "A later version of a2a-codegen may read it");
  const agent = agentOf(member(value, "/agent", object));
  const turns = member(value, "/turns", list);
  if (turns.length > maxTurns) throw invalid("/turns", `has more than ${maxTurns} turns`);
  const log = new ConversationLog();
  let count = 0;
  for (const [index, turn] of turns.entries()) {
    const path = `/turns/${index}`;
    const events = member(turn, `${path}/events`, list);
    count += events.length;
    if (count > maxEvents) throw invalid(path, `exceeds ${maxEvents} events in total`);
    const message = checked(MessageSchema, turn, `${path}/message`);
    const recorder = log.begin(message);
    for (const at of events.keys())
      recorder.add(checked(StreamResponseSchema, events, `${path}/events/${at}`));
    if (memberAt(turn, "/canceled") !== undefined) {
      member(turn, `${path}/canceled`, isTrue);
      recorder.cancel();
    }
    if (memberAt(turn, "/error") !== undefined) {
      const error = member(turn, `${path}/error`, object);
      const name = member(error, `${path}/error/name`, text);
      recorder.fail({ name, message: member(error, `${path}/error/message`, text) });
    }
  }
  return log.conversation(agent);
}

const sizeHint = `The limit is ${maxLength.toLocaleString("en")}`;

function parsed(file: string): unknown {
  try {
    return JSON.parse(file.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    // The reason may repeat the text.
    throw invalid("", `is not JSON: ${reason.slice(0, 200)}`);
  }
}

function agentOf(agent: Readonly<Record<string, unknown>>): ConversationAgent {
  const textOf = (name: string): string => member(agent, `/agent/${name}`, text);
  const url = textOf("url");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalid("/agent/url", "must be a URL with http or https");
  return { url, name: textOf("name"), binding: textOf("binding"), version: textOf("version") };
}

/** A type of members. */
interface Kind<T> {
  readonly is: (value: unknown) => value is T;
  readonly name: string;
}

const text: Kind<string> = { is: (value) => typeof value === "string", name: "a string" };
const number: Kind<number> = { is: (value) => typeof value === "number", name: "a number" };
const isTrue: Kind<true> = { is: (value) => value === true, name: "true" };
const list: Kind<readonly unknown[]> = { is: (value) => Array.isArray(value), name: "a list" };
const object: Kind<Readonly<Record<string, unknown>>> = { is: isObject, name: "an object" };

/** Returns the member of an object or a list at the end of a path. */
function member<T>(value: unknown, path: string, kind: Kind<T>): T {
  const found = memberAt(value, path);
  if (kind.is(found)) return found;
  throw invalid(path, `must be ${kind.name}`);
}

function memberAt(value: unknown, path: string): unknown {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (Array.isArray(value)) return (value as unknown[])[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns a member that fulfills a schema. */
function checked<T>(schema: Parameters<typeof check<T>>[0], value: unknown, path: string): T {
  const { value: found, issues = [] } = check(schema, memberAt(value, path), "strict");
  const [issue] = issues;
  if (issue === undefined && found !== undefined) return found;
  const { pointer = "", expected = "a value", found: wrong = "nothing" } = issue ?? {};
  throw invalid(`${path}${pointer}`, `must be ${expected}, not ${wrong}`);
}

/** Returns whether a value is nested too deeply, without recursion. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}

function invalid(path: string, problem: string, hint = ""): ConversationError {
  const subject = path === "" ? "The file" : path.slice(0, 200);
  const end = hint === "" ? "" : `. ${hint}`;
  return new ConversationError(`This is not a saved conversation: ${subject} ${problem}${end}`);
}
