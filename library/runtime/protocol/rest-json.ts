import type { ClientOperation, HttpRoute, Operation } from "./operation.js";
import type { Type } from "../schema/schema.js";

/** The parts of a request over HTTP+JSON. */
export interface RequestParts {
  /** Path, query and body merged. */
  readonly whole: Readonly<Record<string, unknown>>;
  /** The fields from path and query. */
  readonly fromUrl: Readonly<Record<string, unknown>>;
  /**
   * The body, and the field that it contains: `*` if it is the whole request. Absent if the request
   * has no body.
   */
  readonly body: unknown;
  readonly field: string | undefined;
}

/**
 * Conversion between the JSON of HTTP+JSON and the JSON of the model, for versions in which they
 * differ.
 */
export interface RestJson {
  /**
   * Returns the type that converts {@link RequestParts} to a request of the model, and `carry`,
   * which checks ids if the conversion requires this.
   */
  readonly request: (operation: Operation) => {
    readonly type: Type<unknown>;
    readonly carry?: (request: unknown) => unknown;
  };
  /** Returns the type with the fields that path and query can contain. */
  readonly fields: (operation: Operation) => Type<unknown>;
  /**
   * Writes a request or response of the model. Throws a `ValidationError` if HTTP+JSON cannot
   * represent it.
   */
  readonly writeRequest: (operation: ClientOperation, request: unknown) => unknown;
  readonly writeResponse: (operation: ClientOperation, response: unknown) => unknown;
  /** Returns the body of a request for agents that expect the JSON of the model. */
  readonly modelBody: (operation: ClientOperation, request: unknown, route: HttpRoute) => unknown;
  /** Returns the type that converts a received response to a response of the model. */
  readonly response: (
    operation: Pick<ClientOperation, "name"> & { readonly response: Type<unknown> },
  ) => Type<unknown>;
}
