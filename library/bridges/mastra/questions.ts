import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.js";
import type { Message } from "../../kit/model.js";
import { json } from "../../kit/turns/json.js";
import { dataOf, textOf } from "../../kit/turns/updates.js";
import { answerTo, approvalQuestion, type Question } from "../questions.js";
import { memberOf, optionalString, stringIn, type Usage } from "../reading.js";

/** A tool call that waits for an approval or for data. */
export interface Suspension {
  readonly type: "approval" | "data";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** The value that the tool has passed to `suspend`. */
  readonly payload?: JsonValue;
  /** JSON Schema of the data that the tool waits for. */
  readonly schema?: JsonObject;
}

/** The state of a task that waits for an answer. */
export interface MastraState {
  readonly runId: string;
  readonly open: readonly Suspension[];
  readonly text: string;
  readonly files: number;
  readonly usage: Usage;
  /** Positions in the history of messages that the model reads when its questions are answered. */
  readonly later?: readonly number[];
}

/** Returns the tool call that an item of Mastra's stream suspends. */
export function suspensionOf(type: Suspension["type"], payload: unknown): Suspension {
  const call = {
    type,
    toolCallId: stringIn(payload, "toolCallId", "Mastra"),
    toolName: stringIn(payload, "toolName", "Mastra"),
    input: json(memberOf(payload, "args")),
  };
  if (type === "approval") return call;
  const schema = schemaIn(optionalString(payload, "resumeSchema"));
  const asked = { payload: json(memberOf(payload, "suspendPayload")) };
  return { ...call, ...asked, ...(schema !== undefined && { schema }) };
}

/** Returns the question of a suspended tool call. */
export function questionOf({ type, input, payload, schema, ...call }: Suspension): Question {
  if (type === "approval") return approvalQuestion(call.toolName, input, call);
  const asked = ["question", "message", "reason"].map((key) => optionalString(payload, key));
  const said = asked.find((text) => text !== undefined) ?? JSON.stringify(payload);
  const hint = textProperty(schema) === undefined ? `\n${expectation(schema)}` : "";
  const data = { type: "tool-call-suspended", ...call, input, payload, resumeSchema: schema };
  return { text: said + hint, data };
}

/**
 * Returns the data in an answer to a suspended tool call: a data part with the id of the call or
 * its `resumeData`, any data part if only this call waits, or the text as the only property of the
 * schema. Returns `undefined` if the message does not match the schema.
 */
export function resumeDataIn(
  message: Message,
  { toolCallId, schema }: Suspension,
  isOnly: boolean,
): JsonValue | undefined {
  const given = answerTo(message, [toolCallId]);
  const unnamed = isOnly ? dataOf(message)[0] : undefined;
  const data =
    given !== undefined && "resumeData" in given ? given["resumeData"] : (given ?? unnamed);
  const property = textProperty(schema);
  const text = textOf(message).trim();
  if (data === undefined && text !== "" && property !== undefined) return { [property]: text };
  return data !== undefined && requiredIn(schema).every((key) => memberOf(data, key) !== undefined)
    ? data
    : undefined;
}

/** Returns the name of the text property that is the only property of a schema. */
function textProperty(schema: JsonObject | undefined): string | undefined {
  const [only, ...others] = propertiesOf(schema);
  return only?.type === "string" && others.length === 0 ? only.name : undefined;
}

function expectation(schema: JsonObject | undefined): string {
  const properties = propertiesOf(schema).map(({ name, type }) => `${name} (${type})`);
  const members = properties.length === 0 ? "" : ` with the members ${properties.join(", ")}`;
  return `Answer with a data part${members}.`;
}

function propertiesOf(schema: JsonObject | undefined): { name: string; type: string }[] {
  const properties = schema?.["properties"];
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: optionalString(property, "type") ?? "any type",
  }));
}

function requiredIn(schema: JsonObject | undefined): string[] {
  const required = schema?.["required"];
  return Array.isArray(required) ? required.filter((key) => typeof key === "string") : [];
}

/** Returns the JSON Schema that Mastra has written as a string. */
function schemaIn(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const schema: unknown = JSON.parse(text);
    return isObject<JsonObject>(schema) ? json<object>(schema) : undefined;
  } catch {
    return undefined;
  }
}
