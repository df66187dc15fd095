import { isObject } from "../base/json.js";
import type { A2AError } from "../protocol/error.js";
import type { DiscoveryFacts, Operation } from "../protocol/operation.js";
import type {
  AgentFacts,
  CallVersion,
  CardFacts,
  ServedVersion,
  VersionAdapter,
} from "../server/adapter.js";
import type { WebhookForm } from "../server/host.js";
import { AdaptedEvents } from "./adapted-events.js";
import { cardFor, withVersion, type CardVersion } from "./cards.js";
import type { Conversion, ConversionFacts } from "./conversion.js";
import { convertedDirectly, type DirectConversions } from "./direct.js";
import { translated } from "./errors.js";
import { mapped, type Direction, type OperationMapping, type VersionMapping } from "./mapping.js";

/** Facts about another version that an agent serves. */
export interface VersionParts extends Omit<CallVersion, "adapter"> {
  readonly mapping: VersionMapping;
  /** Fast conversions of values that the tables of the mapping convert as well. */
  readonly direct?: DirectConversions | undefined;
  readonly discovery: DiscoveryFacts;
}

/** Returns a version for the option `versions` of an agent. */
export function servedVersion({
  mapping,
  direct,
  discovery,
  ...version
}: VersionParts): ServedVersion {
  const { protocol } = version;
  return {
    protocol,
    adaptedTo: (own) => ({
      ...version,
      adapter: new Adapter({ ...version, mapping, direct, discovery }, own),
    }),
  };
}

class Adapter implements VersionAdapter {
  readonly #mapping: VersionMapping;
  readonly #other: VersionParts;
  readonly #own: AgentFacts;
  /** The operations of the agent, by their names in the other version. */
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #relaxed: ReadonlyMap<string, Operation>;

  constructor(other: VersionParts, own: AgentFacts) {
    const { mapping } = other;
    this.#mapping = mapping;
    this.#other = other;
    this.#own = own;
    this.#operations = new Map(
      own.operations.flatMap((operation) => {
        const found = operationOf(mapping, operation);
        return found === undefined ? [] : [[found.name, operation] as const];
      }),
    );
    this.#relaxed = new Map(
      [...this.#operations.values()].map(
        (operation) => [operation.name, relaxed(operation, mapping)] as const,
      ),
    );
  }

  operation({ name }: Operation): Operation {
    const found = this.#operations.get(name);
    if (found === undefined)
      throw new this.#own.errors.unsupported(undefined, { metadata: { operation: name } });
    return found;
  }

  request(operation: Operation, request: unknown): unknown {
    const found = operationOf(this.#mapping, operation);
    return found === undefined ? request : this.#converted(found.request, request, "own");
  }

  relaxed(operation: Operation): Operation {
    return this.#relaxed.get(operation.name) ?? operation;
  }

  response(operation: Operation, response: unknown): unknown {
    return this.#response(operation, response, () => undefined);
  }

  events(
    operation: Operation,
    source: AsyncIterator<unknown, unknown>,
    check: (event: unknown) => unknown,
    write: (event: unknown, convert: (event: unknown) => unknown) => unknown,
  ): AsyncIterator<unknown, undefined> {
    const adapt = (event: unknown, isLast: () => boolean | undefined): unknown =>
      write(event, (own) => this.#response(operation, own, isLast));
    return new AdaptedEvents(source, this, { check, adapt });
  }

  requestName({ request }: Operation): string {
    return `${request.name} of version ${this.#own.protocol.version}`;
  }

  returnsCard(operation: Operation): boolean {
    const found = operationOf(this.#mapping, operation);
    return found !== undefined && isSame(found.response, this.#mapping.card);
  }

  get cardPath(): string {
    return this.#other.discovery.path;
  }

  card(card: object): object {
    return cardFor(card, cardVersion(this.#own), {
      ...cardVersion(this.#other),
      mapping: this.#mapping,
    });
  }

  listed(card: object): object {
    return withVersion(card, cardVersion(this.#own), this.#other.protocol.version);
  }

  get webhookForm(): WebhookForm | undefined {
    const { mapping, protocol } = this.#other;
    const { webhook } = mapping;
    if (webhook === undefined) return undefined;
    const bodyOf = (value: unknown): unknown => this.#converted(webhook.body, value, "other");
    return { type: webhook.type, contentType: protocol.mediaTypes.http, bodyOf };
  }

  error(error: A2AError): A2AError {
    const { errors, mapping } = this.#other;
    return translated(error, {
      errors,
      nameOf: (name) => (Object.hasOwn(mapping.errors, name) ? mapping.errors[name] : undefined),
      fallback: ({ httpStatus }) => {
        // Earlier versions do not define an error for a missing extension, so the request counts as
        // invalid.
        if (error.constructor === this.#own.errors.extensionRequired) return errors.invalidRequest;
        return httpStatus >= 500 ? errors.internal : errors.unsupported;
      },
    });
  }

  #response(operation: Operation, response: unknown, isLast: () => boolean | undefined): unknown {
    const found = operationOf(this.#mapping, operation);
    if (found === undefined) return response;
    if (isObject(response) && this.returnsCard(operation)) return this.card(response);
    return this.#converted(found.response, response, "other", new ResponseFacts(isLast));
  }

  #converted(
    conversion: Conversion,
    value: unknown,
    to: Direction,
    facts: ConversionFacts = {},
  ): unknown {
    const direct =
      conversion.kind === "type"
        ? convertedDirectly(this.#other.direct?.[to], conversion.name, value, facts)
        : undefined;
    return direct ?? mapped(this.#mapping, conversion, value, to, facts);
  }
}

/** Facts about a response. A class, because it is slow to create objects with their own getters. */
class ResponseFacts implements ConversionFacts {
  readonly #isLast: () => boolean | undefined;

  constructor(isLast: () => boolean | undefined) {
    this.#isLast = isLast;
  }

  /** The service's next event may be required to determine whether this event is the last event. */
  get last(): boolean | undefined {
    return this.#isLast();
  }
}

/**
 * Returns an operation that accepts empty strings in members that the conversion fills with an
 * empty string.
 */
function relaxed(operation: Operation, mapping: VersionMapping): Operation {
  const { own, types } = mapping;
  const request = operationOf(mapping, operation)?.request;
  const type = request?.kind === "type" ? types[request.name] : undefined;
  const { nonEmpty } = operation;
  if (type === undefined || type.kind === "enum" || nonEmpty === undefined) return operation;
  const members =
    type.kind === "choice" ? type.alternatives.flatMap(({ fields }) => fields) : type.fields;
  const filled = members.filter(({ fill }) => fill?.[own] === "");
  const empty = filled.map(({ at }) => String(at[own]));
  return { ...operation, nonEmpty: nonEmpty.filter((path) => !empty.includes(String(path))) };
}

function operationOf(
  { operations }: VersionMapping,
  { name }: Operation,
): OperationMapping | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** Returns whether two conversions convert the same type. */
function isSame(left: Conversion, right: Conversion): boolean {
  return left.kind === "type" && right.kind === "type" && left.name === right.name;
}

function cardVersion({
  protocol: { version },
  discovery,
  signatures,
}: Pick<VersionParts, "protocol"> & CardFacts): CardVersion {
  return { version, discovery, signatures };
}
