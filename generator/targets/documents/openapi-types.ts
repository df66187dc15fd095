import type { JsonSchema } from "../../protocol/json-schema/types.js";

/** Something that stands elsewhere in the document. */
export interface Reference {
  readonly $ref: string;
}

/** A header, as a response describes it. */
export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A parameter of an operation. */
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

/** An example of a body. */
export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** Bodies by their media types. */
export type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, Example>> }>
>;

/** The body of a request. */
export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
}

/** A response. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

/** What a verb does at a path. */
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

/** The verbs that a path can have in the document. */
export const verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** A verb of {@link verbs}. */
export type Verb = (typeof verbs)[number];

/** A path with its verbs. */
export type PathItem = { readonly servers?: readonly object[] } & { readonly [V in Verb]?: ApiOperation };
