import { call, type RawAnswer } from "../../support/raw.js";
import {
  lookUp,
  SchemaChecker,
  type DescribedMethod,
  type Json,
  type OpenRpcDocument,
} from "./documents.js";

interface Envelope {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Calls the methods of an OpenRPC document, and holds requests and answers against it. */
export class DocumentedMethods {
  readonly document: OpenRpcDocument;
  /** The methods that gave results. */
  readonly answered = new Set<string>();
  readonly #schemas: SchemaChecker;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(document: OpenRpcDocument, url: string, headers: Readonly<Record<string, string>>) {
    this.document = document;
    this.#schemas = new SchemaChecker(document);
    this.#url = url;
    this.#headers = headers;
  }

  /** Finds a method by its name. */
  method(name: string): DescribedMethod {
    const found = this.document.methods.find((method) => method.name === name);
    if (found === undefined) throw new Error(`Missing: ${name}`);
    return found;
  }

  /** Sends a request, and gives what is wrong with it or its answer, with the results that came. */
  async call(name: string, params: Json): Promise<{ results: unknown[]; problems: string[] }> {
    const method = this.method(name);
    const answer = await call(this.#url, name, params, this.#headers);
    const isStream = answer.headers.get("content-type") === "text/event-stream";
    const results = envelopesOf(answer).map(({ result }) => result);
    const problems = results
      .map((result) => this.#schemas.problems(method.result.schema, result))
      .filter(Boolean);
    if (isStream !== (method["x-streaming"] === true))
      problems.push(`${name} is ${isStream ? "a" : "no"} stream`);
    if (results.length === 0) problems.push("no result is declared");
    if (problems.length === 0) this.answered.add(name);
    return { results, problems: [...this.paramProblems(method, params), ...problems] };
  }

  /** Issues of params. */
  paramProblems({ params: described, "x-params": whole }: DescribedMethod, params: Json): string[] {
    const missing = described.filter(
      ({ name, required }) => required && !Object.hasOwn(params, name),
    );
    const wrong = Object.entries(params).flatMap(([key, value]) => {
      const param = described.find(({ name }) => name === key);
      return param === undefined
        ? [`${key} is not declared`]
        : this.#schemas.problems(param.schema, value);
    });
    const together = whole === undefined ? "" : this.#schemas.problems(whole, params);
    return [...missing.map(({ name }) => `${name} is missing`), ...wrong, together].filter(Boolean);
  }

  /**
   * Sends a request that is refused, and gives the error beside what the document says about that
   * code.
   */
  async refused(
    name: string,
    params: Json,
  ): Promise<{ error: Envelope["error"]; described: Json | undefined }> {
    const [{ error } = {}] = envelopesOf(await call(this.#url, name, params, this.#headers));
    const { errors = [] } = this.document.methods.find((method) => method.name === name) ?? {};
    const all = errors.map(({ $ref }) => lookUp(this.document, String($ref)) as Json);
    return { error, described: all.find(({ code }) => code === error?.code) };
  }
}

function envelopesOf({ headers, text }: RawAnswer) {
  if (headers.get("content-type") !== "text/event-stream") return [JSON.parse(text) as Envelope];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Envelope);
}
