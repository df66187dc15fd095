import { isObject, type JsonObject } from "../../runtime/base/json.js";
import type { Message } from "../../kit/model.js";
import { json } from "../../kit/turns/json.js";
import { dataOf, textOf } from "../../kit/turns/updates.js";
import { decisionIn, type Question } from "../questions.js";
import type { ServingOptions } from "../answer.js";

/** An interrupt of a graph. */
export interface Interrupt {
  readonly id: string;
  readonly value: unknown;
}

/** Id of the question whether the graph may continue after a static breakpoint. */
export const breakpointId = "breakpoint";

/** Returns the interrupts in a value of the framework. */
export function interruptsIn(values: unknown): Interrupt[] {
  if (!Array.isArray(values)) return [];
  return values.map((each: unknown) => {
    if (isObject(each) && typeof each["id"] === "string")
      return { id: each["id"], value: each["value"] };
    throw new TypeError("The graph has an interrupt without an id: use @langchain/langgraph 1.x");
  });
}

/** Returns the question that an interrupt asks. */
export function questionOf({ id, value }: Interrupt): Question {
  return { text: questionText(value), data: { type: "interrupt", id, value } };
}

/** Returns the question whether the graph may continue with nodes. */
export function breakpointQuestion(next: readonly string[]): Question {
  const data = { type: "interrupt", id: breakpointId, value: { next } };
  return { text: `Continue with ${next.join(" and ")}?`, data };
}

function questionText(value: unknown): string {
  if (typeof value === "string") return value;
  const actions = actionsIn(value);
  if (actions !== undefined)
    return actions
      .map(({ name, args }) => `Allow ${String(name)}(${JSON.stringify(json<unknown>(args))})?`)
      .join("\n");
  if (isObject(value) && typeof value["question"] === "string") return value["question"];
  return value === undefined ? "Continue?" : JSON.stringify(json<unknown>(value));
}

/** Returns the actions of LangChain's middleware that asks before tools run. */
function actionsIn(value: unknown): Record<string, unknown>[] | undefined {
  const actions = isObject(value) ? value["actionRequests"] : undefined;
  return Array.isArray(actions) && actions.every((each) => isObject(each)) ? actions : undefined;
}

/**
 * Returns the values with which interrupts resume, by id: the data parts with an id and a value, or
 * else the first data part or the text for all of them. Returns nothing if the ids belong to
 * other interrupts, for example if a question is answered twice.
 */
export function answersIn(
  message: Message,
  interrupts: readonly Interrupt[],
  { approves }: Pick<ServingOptions, "approves">,
): Record<string, unknown> {
  const ids = interrupts.map(({ id }) => id);
  const data = dataOf(message);
  const named = data.filter(
    (each): each is JsonObject => isObject(each) && "id" in each && "value" in each,
  );
  if (named.length > 0) {
    const answers = named.flatMap(({ id, value }) =>
      typeof id === "string" && ids.includes(id) ? [[id, value] as const] : [],
    );
    return Object.fromEntries(answers);
  }
  const answer = ({ value }: Interrupt): unknown => {
    if (data[0] !== undefined) return data[0];
    const actions = actionsIn(value);
    if (actions === undefined) return textOf(message);
    const { approved, reason } = decisionIn(message, [], approves) ?? { approved: false };
    const decision = approved
      ? { type: "approve" }
      : { type: "reject", ...(reason !== undefined && { message: reason }) };
    return { decisions: actions.map(() => decision) };
  };
  return Object.fromEntries(interrupts.map((each) => [each.id, answer(each)]));
}
