import { isObject, type JsonValue } from "../runtime/base/json.js";
import type { Part } from "../kit/model.js";
import { json } from "../kit/turns/json.js";
import type { Turn } from "../kit/turns/turn.js";
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

const yes = /^(?:y|yes|ok|okay|approved?|allow|go ahead)[.!]?$/i;

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

/** The message of a turn, which may answer questions. */
export type Reply = Pick<Turn, "message" | "early">;

/** A data part that answers a question. */
export type Answer = Readonly<Record<string, JsonValue>>;

/** Returns the first data part of a message that repeats an id of a question. */
export function answerTo(
  { message }: Reply,
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
 * ids, they only answer the questions with these ids. A message without ids answers all questions,
 * unless it was sent before they were asked.
 */
export function isAnswered(reply: Reply, ids: readonly (string | undefined)[]): boolean {
  if (answerTo(reply, ids) !== undefined) return true;
  return !reply.early && dataOf(reply.message).flatMap(idsIn).length === 0;
}

/**
 * Returns the decision in an answer: a data part with an id of the question, a data part without an
 * id, or else the text. Text that is not a plain yes denies the approval, and is the reason. Returns
 * `undefined` if the message does not answer the question.
 */
export function decisionIn(
  reply: Reply,
  ids: readonly (string | undefined)[],
  approves: (text: string) => boolean = isYes,
): Decision | undefined {
  if (!isAnswered(reply, ids)) return undefined;
  const { message } = reply;
  const given =
    answerTo(reply, ids) ??
    dataOf(message).find((value): value is Answer => isObject(value) && "approved" in value);
  const said = textOf(message).trim();
  const approved = given === undefined ? approves(said) : given["approved"] === true;
  const reason = given === undefined ? !approved && said : given["reason"];
  return typeof reason === "string" && reason !== "" ? { approved, reason } : { approved };
}
