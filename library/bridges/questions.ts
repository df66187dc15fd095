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

/** Returns the first data part of an answer that repeats an id of a question. */
export function answerTo(
  message: Message,
  ids: readonly (string | undefined)[],
): Answer | undefined {
  return dataOf(message).find((value): value is Answer => repeats(value, ids));
}

/** A data part that answers a question. */
export type Answer = Readonly<Record<string, JsonValue>>;

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
 * ids, they only answer the questions with these ids. Otherwise, the message answers all questions.
 */
export function isAnswered(message: Message, ids: readonly (string | undefined)[]): boolean {
  const values = dataOf(message);
  return values.some((value) => repeats(value, ids)) || values.flatMap(idsIn).length === 0;
}

/**
 * Returns the decision in an answer: a data part with an id of the question, a data part without an
 * id, or else the text. Text that is not a plain yes denies the approval, and is the reason. If
 * data parts with ids decide about other questions, the text belongs to them.
 */
export function decisionIn(
  message: Message,
  ids: readonly (string | undefined)[],
  approves: (text: string) => boolean = isYes,
): Decision {
  const decisions = dataOf(message).filter(
    (value): value is Answer => isObject(value) && "approved" in value,
  );
  const given = answerTo(message, ids) ?? decisions.find((value) => idsIn(value).length === 0);
  if (given === undefined && decisions.length > 0) return { approved: false };
  const said = textOf(message).trim();
  const approved = given === undefined ? approves(said) : given["approved"] === true;
  const reason = given === undefined ? !approved && said : given["reason"];
  return typeof reason === "string" && reason !== "" ? { approved, reason } : { approved };
}
