import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { Ajv } from "ajv";
import { findSource, generateFrom, textOf } from "../../support/output.js";

/** JSON object for access to its members. */
export type Json = Readonly<Record<string, unknown>>;

/** Operation of an OpenAPI document, with the members that tests read. */
export interface Described {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: DescribedContent };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Json;
  readonly example?: string;
}

export type DescribedContent = Readonly<
  Record<
    string,
    {
      readonly schema: Json;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    }
  >
>;

export interface DescribedResponse {
  readonly headers?: Json;
  readonly content?: DescribedContent;
}

/** An operation of a document, with its HTTP method and path. */
export interface Placed extends Described {
  readonly verb: string;
  readonly path: string;
}

/** A document of an API whose schemas are components. */
export interface ApiDocument {
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses?: Readonly<Record<string, DescribedResponse>>;
    readonly errors?: Readonly<Record<string, Json>>;
  };
}

/** An OpenAPI document. */
export interface OpenApiDocument extends ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A method of an OpenRPC document. */
export interface DescribedMethod {
  readonly name: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly "x-streaming"?: boolean;
  readonly "x-params"?: Json;
  readonly params: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Json;
  }[];
  readonly result: { readonly schema: Json };
  readonly errors: readonly Json[];
}

/** An OpenRPC document. */
export interface OpenRpcDocument extends ApiDocument {
  readonly methods: readonly DescribedMethod[];
}

const texts = new Map<string, Promise<string>>();

/** Returns the written document of a version. It is generated once for all tests. */
export function documentText(version: string, target: "openapi" | "openrpc"): Promise<string> {
  const key = `${version} ${target}`;
  const text =
    texts.get(key) ??
    generateFrom(findSource(version), { targets: [target] }).then((all) =>
      textOf(all, `${target}.json`),
    );
  texts.set(key, text);
  return text;
}

/** The OpenAPI document of a version. */
export async function openApiOf(version: string): Promise<OpenApiDocument> {
  return JSON.parse(await documentText(version, "openapi")) as OpenApiDocument;
}

/** The OpenRPC document of a version. */
export async function openRpcOf(version: string): Promise<OpenRpcDocument> {
  return JSON.parse(await documentText(version, "openrpc")) as OpenRpcDocument;
}

/** Returns the part of a document that a reference names. Throws if it does not exist. */
export function lookUp(document: object, reference: string): unknown {
  if (!reference.startsWith("#/")) throw new Error(`${reference} leads out of the document`);
  let part: unknown = document;
  for (const key of reference.slice(2).split("/")) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, name))
      throw new Error(`${reference} leads nowhere`);
    part = (part as Json)[name];
  }
  return part;
}

/** Every reference in a part of a document. */
export function referencesIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) =>
    key === "$ref" && typeof value === "string" ? [value] : referencesIn(value),
  );
}

/** Puts what a reference leads to in its place, at the first level. */
export function resolved<T extends object>(document: object, part: T): T {
  return "$ref" in part && typeof part.$ref === "string"
    ? (lookUp(document, part.$ref) as T)
    : part;
}

const verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The operations of a document, with their parameters and responses in place of references. */
export function operationsIn(document: OpenApiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb): Placed[] => {
      if (item[verb] === undefined) return [];
      const described = item[verb] as Described;
      const responses = Object.entries(described.responses).map(
        ([status, response]) => [status, resolved(document, response)] as const,
      );
      const parameters = described.parameters.map((parameter) => resolved(document, parameter));
      return [
        {
          ...described,
          parameters,
          responses: Object.fromEntries(responses),
          verb: verb.toUpperCase(),
          path,
        },
      ];
    }),
  );
}

/** Checks values by the schemas of a document, in the dialect that is right for it. */
export class SchemaChecker {
  readonly #ajv: Pick<Ajv, "addSchema" | "compile" | "errorsText">;
  readonly #known = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    const options = { strict: false, validateFormats: false, ownProperties: true } as const;
    this.#ajv = "openapi" in document ? new Ajv2020(options) : new Ajv(options);
    this.#ajv.addSchema({ components: document.components }, "document");
  }

  /** Issues of a value; empty if it is valid. */
  problems(schema: Json, value: unknown): string {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = this.#known.get(text) ?? this.#ajv.compile(JSON.parse(text) as Json);
    this.#known.set(text, validate);
    return validate(value) ? "" : this.#ajv.errorsText(validate.errors);
  }

  /** Whether a value fits a schema of the components. */
  fits(name: string, value: unknown): boolean {
    return this.problems({ $ref: `#/components/schemas/${name}` }, value) === "";
  }
}
