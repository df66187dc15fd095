import { send, type RawAnswer } from "../../support/raw.js";
import {
  operationsIn,
  SchemaChecker,
  type Json,
  type OpenApiDocument,
  type Placed,
} from "./documents.js";

/** Request of a caller: values for path and query, and the body. */
export interface Saying {
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the operations of an OpenAPI document, and holds requests and answers against it. */
export class DocumentedApi {
  readonly operations: readonly Placed[];
  /** Calls with their status, such as `getTask 200`. */
  readonly answered = new Set<string>();
  readonly #schemas: SchemaChecker;
  readonly #url: string;

  constructor(document: OpenApiDocument, url: string) {
    this.operations = operationsIn(document);
    this.#schemas = new SchemaChecker(document);
    this.#url = url.replace(/\/$/, "");
  }

  /** Finds an operation by its id. */
  operation(id: string): Placed {
    const found = this.operations.find(({ operationId }) => operationId === id);
    if (found === undefined) throw new Error(`Missing: ${id}`);
    return found;
  }

  /**
   * Sends a request that is as the document says, and gives what is wrong with it or with its
   * answer.
   */
  async call(id: string, saying: Saying = {}): Promise<{ answer: RawAnswer; problems: string[] }> {
    const operation = this.operation(id);
    const problems = this.requestProblems(operation, saying);
    const { answer, problems: others } = await this.say(id, saying);
    return { answer, problems: [...problems, ...others] };
  }

  /** Sends any request, and gives what is wrong with the answer. */
  async say(
    id: string,
    { values = {}, body, headers = {} }: Saying = {},
  ): Promise<{ answer: RawAnswer; problems: string[] }> {
    const operation = this.operation(id);
    const path = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values[name])),
    );
    const query = operation.parameters
      .filter((parameter) => parameter.in === "query" && values[parameter.name] !== undefined)
      .flatMap(({ name }) =>
        [values[name] ?? []].flat().map((value) => `${name}=${encodeURIComponent(value)}`),
      );
    const required = operation.parameters.flatMap(({ in: place, name, required, example }) =>
      place === "header" && required === true ? [[name, example ?? ""] as const] : [],
    );
    const url = `${this.#url}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
    const answer = await send(operation.verb, url, body, {
      ...Object.fromEntries(required),
      ...headers,
    });
    this.answered.add(`${id} ${answer.status}`);
    return { answer, problems: this.answerProblems(operation, answer) };
  }

  /** Issues of a request. */
  requestProblems(
    { operationId, parameters, requestBody }: Placed,
    { values = {}, body }: Saying,
  ): string[] {
    const problems = Object.entries(values).flatMap(([name, value]) => {
      const parameter = parameters.find((each) => each.name === name && each.in !== "header");
      if (parameter === undefined) return [`${operationId} has no parameter ${name}`];
      const problem = this.#schemas.problems(
        parameter.schema,
        this.#valueOf(parameter.schema, value),
      );
      return problem === "" ? [] : [`${name}: ${problem}`];
    });
    if (body === undefined)
      return requestBody?.required === true ? [...problems, "the body is missing"] : problems;
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
    if (schemas.length === 0) return [...problems, `${operationId} has no body`];
    return [
      ...problems,
      ...schemas.map((schema) => this.#schemas.problems(schema, body)).filter(Boolean),
    ];
  }

  /** The value that the text of a parameter stands for. */
  #valueOf({ type }: Json, text: string | readonly string[]): unknown {
    if (type === "integer" || type === "number") return Number(text);
    return type === "boolean" ? text === "true" : text;
  }

  /** Issues of a response. */
  answerProblems(
    { operationId, responses }: Placed,
    { status, headers, text }: RawAnswer,
  ): string[] {
    const response = responses[status] ?? responses["default"];
    if (response === undefined) return [`${operationId} has no answer ${status}`];
    const type = headers.get("content-type") ?? "";
    const schema = response.content?.[type]?.schema;
    if (response.content === undefined)
      return text === "" ? [] : [`${operationId} ${status} has no body`];
    if (schema === undefined) return [`${operationId} ${status} is no ${type}`];
    const values = type === "text/event-stream" ? dataOf(text) : [JSON.parse(text) as unknown];
    if (values.length === 0) return [`${operationId} has no events`];
    return values.map((value) => this.#schemas.problems(schema, value)).filter(Boolean);
  }
}

/** The data of each event, as values. */
function dataOf(text: string) {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as unknown);
}
