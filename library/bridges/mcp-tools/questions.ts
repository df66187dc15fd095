import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.js";
import type { Message, Part } from "../../kit/model.js";
import { dataOf, textOf } from "../../kit/turns/updates.js";
import { answerTo, isYes, questionParts } from "../questions.js";

/** A question of a tool: a form, or an address that the user must open. */
export interface Asked {
  readonly message: string;
  readonly url?: string;
  readonly schema?: JsonObject;
}

/** Texts that decline to answer. */
const declined = /^(?:cancel|decline)[.!]?$/i;
const no = /^(?:n|no|false)[.!]?$/i;

/** Returns the content and the links of questions. */
export function questionFor(asked: Readonly<Record<string, Asked>>): {
  question: Part[];
  links: string[];
} {
  const questions = Object.entries(asked).map(([id, { message, url, schema }]) => ({
    text: url === undefined || message.includes(url) ? message : `${message} ${url}`,
    data: { type: "elicitation", id, message, ...(url === undefined ? { schema } : { url }) },
  }));
  const links = Object.values(asked).flatMap(({ url }) => (url === undefined ? [] : [url]));
  return { question: questionParts(questions), links };
}

/**
 * Returns the responses to questions from the caller's message: its data, or its text. Returns
 * `undefined` if it does not answer all of them.
 */
export function responsesIn(
  asked: Readonly<Record<string, Asked>>,
  message: Message,
): JsonObject | undefined {
  const ids = Object.keys(asked);
  const responses: [string, JsonObject][] = [];
  for (const [id, question] of Object.entries(asked)) {
    const response = dataResponse(id, ids, message) ?? textResponse(question, ids, message);
    if (response === undefined) return undefined;
    responses.push([id, response]);
  }
  // Servers may choose any ids, also `__proto__`.
  return Object.fromEntries(responses);
}

/** Returns the response in data: an object with the id, or the content of the only form. */
function dataResponse(
  id: string,
  ids: readonly string[],
  message: Message,
): JsonObject | undefined {
  const given = answerTo(message, [id]);
  if (given === undefined) {
    const [content] = dataOf(message).filter((value): value is JsonObject => isObject(value));
    const isOfOther = content === undefined || answerTo(message, ids) !== undefined;
    return isOfOther || ids.length > 1 ? undefined : { action: "accept", content };
  }
  const { action, content } = given;
  if (action === "decline" || action === "cancel") return { action };
  return isObject<JsonObject>(content) ? { action: "accept", content } : { action: "accept" };
}

function textResponse(
  { schema }: Asked,
  ids: readonly string[],
  message: Message,
): JsonObject | undefined {
  const said = textOf(message).trim();
  if (declined.test(said)) return { action: "decline" };
  const fields = Object.entries(isObject(schema?.["properties"]) ? schema["properties"] : {});
  const [field] = fields;
  if (field === undefined) {
    if (no.test(said)) return { action: "decline" };
    return said === "" ? undefined : { action: "accept", ...(schema && { content: {} }) };
  }
  // One text cannot answer several questions.
  if (fields.length > 1 || ids.length > 1) return undefined;
  const [name, about] = field;
  const value = valueIn(said, isObject(about) ? about : {});
  return value === undefined ? undefined : { action: "accept", content: { [name]: value } };
}

/** Returns the value of a field that a text gives; `undefined` if it gives none. */
function valueIn(said: string, field: Readonly<Record<string, unknown>>): JsonValue | undefined {
  switch (field["type"]) {
    case "boolean":
      if (isYes(said) || said.toLowerCase() === "true") return true;
      return no.test(said) ? false : undefined;
    case "number":
    case "integer": {
      const value = said === "" ? NaN : Number(said);
      const isValid = field["type"] === "integer" ? Number.isInteger(value) : isFinite(value);
      return isValid ? value : undefined;
    }
    case "string":
      return choiceIn(said, field);
    default:
      return undefined;
  }
}

function choiceIn(said: string, field: Readonly<Record<string, unknown>>): string | undefined {
  const options: unknown = field["enum"] ?? field["oneOf"];
  if (!Array.isArray(options)) return said === "" ? undefined : said;
  const choices = options.map((option: unknown): unknown[] =>
    isObject(option) ? [option["const"], option["title"]] : [option],
  );
  const wanted = said.toLowerCase();
  const found = choices.find((names) =>
    names.some((name) => typeof name === "string" && name.toLowerCase() === wanted),
  )?.[0];
  return typeof found === "string" ? found : undefined;
}
