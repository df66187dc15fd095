import { isObject, type JsonObject } from "../../runtime/base/json.js";
import type { ServerCall } from "../../runtime/server/context.js";
import type { ServerExtension } from "../../runtime/server/extension.js";
import { invalid } from "../invalid.js";
import type { Message } from "../model.js";
import type { Incoming } from "../turns/incoming.js";
import {
  type CheckedField,
  DataField,
  type ExtensionField,
  type FieldParts,
  MetadataField,
} from "./field.js";
import { membersOf, type MetadataHolder, type PartsHolder } from "./holder.js";
import type { ExtensionSchema } from "./schema.js";

/**
 * Options for an extension. `Input` is the type of its values on the wire. `Output` is the type
 * that the schema returns.
 */
export interface ExtensionOptions<Input, Output = Input> {
  /** URI that identifies the extension and its version. */
  readonly uri: string;
  /** Key of the value in metadata; the URI by default. */
  readonly key?: string;
  /** Description of how the agent uses the extension, for the agent card. */
  readonly description?: string;
  /** Whether the agent rejects calls that do not request the extension; `false` by default. */
  readonly required?: boolean;
  /** Parameters of the extension, for the agent card. */
  readonly params?: JsonObject;
  /** Validates the extension's values. By default, values are not checked. */
  readonly schema?: ExtensionSchema<Input, Output>;
  /**
   * For clients: returns the value for a message before the client sends the message. Not called if
   * the message already has a value.
   */
  activate?(sending: SentMessage): Input | undefined | Promise<Input | undefined>;
  /**
   * For agents: called for each call that requests the extension, after `authorize` and before the
   * service. To reject the call, throw a protocol error. The result is ignored.
   */
  handle?(call: ExtensionCall<Output>): unknown;
  /**
   * For agents: returns the value for a message or an artifact from a turn. Only called if the
   * caller requests the extension and the update does not have a value yet. Errors are reported to
   * the agent's `onError`.
   */
  respond?(incoming: ExtensionMessage<Output>): Input | undefined;
}

/** A message that a client sends. */
export interface SentMessage {
  readonly message: Message;
  /**
   * Parameters of the extension in the agent card; `undefined` if the card contains no parameters.
   */
  readonly params: JsonObject | undefined;
}

/** A message from a caller that requests an extension, and the data of the call. */
export interface ExtensionMessage<Output = unknown> extends Incoming {
  /** Value in the metadata of the message; `undefined` if it is absent. */
  readonly value: Output | undefined;
}

/** A call that requests an extension. */
export interface ExtensionCall<Output = unknown> extends ServerCall {
  /** Message in the request; `undefined` for operations without a message. */
  readonly message: Message | undefined;
  /** Value in the metadata of the message; `undefined` if it is absent. */
  readonly value: Output | undefined;
}

/**
 * An extension of the protocol. It provides its entry for the agent card, and reads and writes its
 * values.
 */
export interface Extension<Input = unknown, Output = Input>
  extends ExtensionField<Input, Output, MetadataHolder>, AnyExtension {
  /**
   * Entry for `capabilities.extensions` in the agent card. `createAgent` adds the entry to the
   * card.
   */
  readonly declaration: ExtensionDeclaration;
  /** Returns a field for another key in metadata. Intended for extensions with several values. */
  metadata<In = unknown, Out = In>(
    key: string,
    schema?: ExtensionSchema<In, Out>,
  ): ExtensionField<InputOf<In, Out>, Out, MetadataHolder>;
  /** Returns a field for a key in a data part. Intended for extensions whose values are content. */
  data<In = unknown, Out = In>(
    key: string,
    schema?: ExtensionSchema<In, Out>,
  ): ExtensionField<InputOf<In, Out>, Out, PartsHolder>;
}

/** Extension with values of any type. Used for lists of extensions. */
export interface AnyExtension extends ServerExtension, ClientExtension, Responder {
  readonly uri: string;
}

/**
 * The type of the values to write: `Input`, or `Output` if the schema does not declare its input.
 */
export type InputOf<Input, Output> = unknown extends Input ? Output : Input;

/** Entry in an agent card that declares an extension. */
export interface ExtensionDeclaration {
  uri: string;
  description?: string;
  required?: boolean;
  params?: JsonObject;
}

/** The part of an extension that a client uses. */
export interface ClientExtension {
  readonly uri: string;
  /** Whether the extension adds a value to messages. */
  readonly prepares: boolean;
  /** Returns a message with the value that `activate` returns. */
  prepare(sending: SentMessage): Promise<Message>;
}

/** The part of an extension that a task service uses. */
export interface Responder {
  readonly uri: string;
  /** Whether the extension adds a value to messages and artifacts from turns. */
  readonly responds: boolean;
  /** Returns an update from a turn, or a message, with the value that `respond` returns. */
  stamped<T extends object>(value: T, incoming: Incoming): T;
}

/**
 * Creates an extension of the protocol, for agents and clients. For an agent, pass it in the option
 * `extensions` of `createAgent`. For a client, pass it to `withExtensions`. The methods `get` and
 * `set` read and write the extension's value in the metadata of messages, parts, artifacts, tasks
 * and events.
 *
 * @throws A `TypeError` if `uri` is not a URI.
 *
 * @example
 * const tone = extension<"formal" | "casual">({ uri: "https://example.com/extensions/tone/v1" });
 * const agent = createAgent({ card, extensions: [tone], service });
 * const client = await connect(url, { interceptors: [withExtensions([tone])] });
 */
export function extension<Input = unknown, Output = Input>(
  options: ExtensionOptions<Input, Output>,
): Extension<InputOf<Input, Output>, Output> {
  if (!URL.canParse(options.uri))
    throw new TypeError(
      `\`uri\` of an extension must be a URI, got ${JSON.stringify(options.uri)}`,
    );
  // Both types are the same if the schema declares its input.
  return new ExtensionValue(options as unknown as ExtensionOptions<InputOf<Input, Output>, Output>);
}

class ExtensionValue<Input, Output>
  extends MetadataField<Input, Output>
  implements Extension<Input, Output>
{
  declare readonly uri: string;
  readonly declaration: ExtensionDeclaration;
  readonly #options: ExtensionOptions<Input, Output>;
  readonly #fields: CheckedField[] = [this];

  constructor(options: ExtensionOptions<Input, Output>) {
    const { uri, key = uri, description, required, params, schema } = options;
    super({ uri, key, schema });
    this.#options = options;
    this.declaration = {
      uri,
      ...(description !== undefined && { description }),
      ...(required !== undefined && { required }),
      ...(params !== undefined && { params }),
    };
  }

  get prepares(): boolean {
    return this.#options.activate !== undefined;
  }

  get responds(): boolean {
    return this.#options.respond !== undefined;
  }

  metadata<In, Out>(key: string, schema?: ExtensionSchema<In, Out>) {
    return this.#field(new MetadataField(this.#parts(key, schema)));
  }

  data<In, Out>(key: string, schema?: ExtensionSchema<In, Out>) {
    return this.#field(new DataField(this.#parts(key, schema)));
  }

  async prepare(sending: SentMessage): Promise<Message> {
    const { message } = sending;
    if (this.find(message) !== undefined) return message;
    const value = await this.#options.activate?.(sending);
    return value === undefined ? message : this.set(message, value);
  }

  async accept(call: ServerCall): Promise<void> {
    const message = messageOf(call.request);
    if (message !== undefined) for (const field of this.#fields) checkField(field, message);
    await this.#options.handle?.({ ...call, message, value: this.get(message) });
  }

  stamped<T extends object>(value: T, incoming: Incoming): T {
    if (!takesValue(value) || this.find(value) !== undefined) return value;
    const { message, user, owner, tenant, extensions, acceptedOutputModes, metadata, version } =
      incoming;
    const facts = {
      message,
      user,
      owner,
      tenant,
      extensions,
      acceptedOutputModes,
      metadata,
      version,
    };
    const { activateExtension } = incoming;
    const own = this.#options.respond?.({ ...facts, activateExtension, value: this.get(message) });
    return own === undefined ? value : this.set(value, own);
  }

  #parts<In, Out>(
    key: string,
    schema: ExtensionSchema<In, Out> | undefined,
  ): FieldParts<InputOf<In, Out>, Out> {
    return {
      uri: this.uri,
      key,
      schema: schema as ExtensionSchema<InputOf<In, Out>, Out> | undefined,
    };
  }

  #field<F extends CheckedField>(field: F): F {
    this.#fields.push(field);
    return field;
  }
}

/** Returns the message in a request; `undefined` if the request has no message. */
function messageOf(request: unknown): Message | undefined {
  // The request has been checked.
  return isObject(request) && isObject(request["message"])
    ? (request["message"] as unknown as Message)
    : undefined;
}

/** Throws a protocol error if the value of a field is invalid. */
function checkField(field: CheckedField, message: Message): void {
  const problem = field.problem(message);
  if (problem !== undefined) throw invalid(`message.${field.path}`, `is invalid: ${problem}`);
}

/**
 * Returns whether an update has a message or starts an artifact. Later chunks keep the metadata of
 * the first chunk.
 */
function takesValue(value: object): boolean {
  if ("artifact" in value) return !("append" in value && value.append === true);
  return membersOf(value).parts !== undefined;
}
