import type { JsonSchema } from "../../protocol/json-schema/types.js";

/** Reference to another part of the document. */
export interface Reference {
  readonly $ref: string;
}

/** Header of a response. */
export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly style?: "form" | "simple";
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** Example of a body. */
export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** Bodies by media type. */
export type Content = Readonly<
  Record<
    string,
    { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, Example>> }
  >
>;

/** Body of a request. */
export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
}

/** Response of an operation. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

/** Operation at a path, for one HTTP method. */
export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** HTTP methods that a path of the document can have. */
export const httpMethods = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
] as const;

/** One of {@link httpMethods}. */
export type HttpMethod = (typeof httpMethods)[number];

/** Path with its operations by HTTP method. */
export type PathItem = { readonly servers?: readonly object[] } & {
  readonly [V in HttpMethod]?: ApiOperation;
};
