import { isObject, type JsonValue } from "../runtime/base/json.js";
import type { Message, Part } from "../kit/model.js";
import { json } from "../kit/turns/json.js";
import { dataOf, textOf } from "../kit/turns/updates.js";

/** A question that a framework asks before it continues. */
export interface Question {
  /** Text for people. */
  readonly text: string;
  /** The question for programs, which contains the id that an answer repeats. */
  readonly data: object;
}

/** The decision of the caller about an action that requires approval. */
export interface Decision {
  readonly approved: boolean;
  /** Reason for the decision, which the model can read. */
  readonly reason?: string;
}

const consent = "y|yes|yep|yeah|ok|okay|sure|approved?|allow|confirm|confirmed|go ahead|do it";
const politeness = "please|thanks|thank you|go ahead|do it";
const yes = new RegExp(`^(?:${consent})(?:,? (?:${politeness}))*[.!]?$|^\u{1F44D}$`, "iu");
const no =
  /^(?:n|no|nope|deny|denied|decline|cancel|stop)(?:,? (?:please|thanks|thank you))*[.!]?$/i;

/** Returns whether a text approves an action. Any other text is a denial. */
export function isYes(text: string): boolean {
  return yes.test(text.trim());
}

/** Returns the content that asks questions: a text for people, and data for programs. */
export function questionParts(questions: readonly Question[]): Part[] {
  const text = questions.map((question) => question.text).join("\n");
  return [{ text }, ...questions.map(({ data }) => ({ data: json<unknown>(data) }))];
}

/**
 * Returns the question whether a tool may run. `data` contains the ids and the name of the tool.
 */
export function approvalQuestion(
  tool: string,
  input: unknown,
  data: object,
  reason?: string,
): Question {
  const why = reason === undefined ? "" : ` ${reason}`;
  const type = "tool-approval-request";
  const text = `Allow ${tool}(${JSON.stringify(json<unknown>(input))})?${why}`;
  return { text, data: { type, ...data, input, ...(reason !== undefined && { reason }) } };
}

/** A data part that answers a question. */
export type Answer = Readonly<Record<string, JsonValue>>;

/** Returns the first data part of a message that repeats an id of a question. */
export function answerTo(
  message: Message,
  ids: readonly (string | undefined)[],
): Answer | undefined {
  return dataOf(message).find((value): value is Answer => repeats(value, ids));
}

function repeats(value: JsonValue, ids: readonly (string | undefined)[]): boolean {
  return idsIn(value).some((id) => typeof id === "string" && ids.includes(id));
}

function idsIn(value: JsonValue): JsonValue[] {
  if (!isObject<Answer>(value)) return [];
  return idKeys.map((key) => value[key] ?? null).filter((id) => id !== null);
}

const idKeys = ["id", "approvalId", "toolCallId", "callId"] as const;

/**
 * Returns whether a message answers the question with these ids. If data parts of the message have
 * ids, they only answer the questions with these ids. A message without ids answers all questions.
 */
export function isAnswered(message: Message, ids: readonly (string | undefined)[]): boolean {
  return answerTo(message, ids) !== undefined || dataOf(message).flatMap(idsIn).length === 0;
}

/**
 * Returns the decision in an answer: a data part with an id of the question, a data part without an
 * id, or else the text. Text that is not a plain yes denies the approval, and is the reason. Returns
 * `undefined` if the message does not answer the question, or has neither a text nor a boolean.
 */
export function decisionIn(
  message: Message,
  ids: readonly (string | undefined)[],
  approves: (text: string) => boolean = isYes,
): Decision | undefined {
  if (!isAnswered(message, ids)) return undefined;
  const given =
    answerTo(message, ids) ??
    dataOf(message).find((value): value is Answer => isObject(value) && "approved" in value);
  const said = textOf(message).trim();
  const text = said === "" ? undefined : approves(said);
  const approved = given === undefined ? text : given["approved"];
  if (typeof approved !== "boolean") return undefined;
  const reason = given === undefined ? !approved && said : given["reason"];
  return typeof reason === "string" && reason !== "" ? { approved, reason } : { approved };
}

/** Returns the result of a denied call, which the model reads. */
export function denialOf(reason: string): string {
  return `The caller denied this call: ${reason}`;
}

/** Returns whether a message only says yes or no, or has ids, so that it is about a question. */
export function isBare(message: Message, approves: (text: string) => boolean = isYes): boolean {
  if (dataOf(message).some((value) => idsIn(value).length > 0)) return true;
  const [part, ...others] = message.parts;
  const { text } = part ?? {};
  return others.length === 0 && text !== undefined && (approves(text) || no.test(text.trim()));
}
