import type { ClientOperation, HttpRoute, Operation } from "./operation.js";
import type { Type } from "../schema/schema.js";

/** A request over HTTP+JSON, taken apart. */
export interface RequestParts {
  /** Path, query and body together. */
  readonly whole: Readonly<Record<string, unknown>>;
  /** What path and query say of it. */
  readonly placed: Readonly<Record<string, unknown>>;
  /** The body, and the field that it is: `*` for all of the request; absent where there is none. */
  readonly body: unknown;
  readonly field: string | undefined;
}

/** How HTTP+JSON looks in versions where its JSON is not that of the model. */
export interface RestJson {
  /** How a request of the model is made of {@link RequestParts}, and, where ids may stand in the way, found to fit. */
  readonly request: (operation: Operation) => {
    readonly type: Type<unknown>;
    readonly carry?: (request: unknown) => unknown;
  };
  /** The type that has the fields which path and query can name. */
  readonly fields: (operation: Operation) => Type<unknown>;
  /** Writes a request or response of the model. Throws a `ValidationError` for what HTTP+JSON cannot carry. */
  readonly writeRequest: (operation: ClientOperation, request: unknown) => unknown;
  readonly writeResponse: (operation: ClientOperation, response: unknown) => unknown;
  /** The body of a request for agents that expect the JSON of the model. */
  readonly modelBody: (operation: ClientOperation, request: unknown, route: HttpRoute) => unknown;
  /** Returns the type that makes a response of the model of what was received. */
  readonly response: (operation: ClientOperation) => Type<unknown>;
}
