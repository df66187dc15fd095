import { isObject } from "../base/json.js";
import type { Codecs } from "../protocol/codec.js";
import type { A2AError, ErrorTable, ErrorWriter } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../protocol/operation.js";
import type { RestJson } from "../protocol/rest-json.js";
import { isEarlier, minorOf } from "../protocol/version.js";
import type { Conversion } from "../versions/convert.js";
import { translated } from "../versions/errors.js";
import { mapped, type OperationMapping, type VersionMapping } from "../versions/mapping.js";
import { AdaptedEvents } from "./adapted-events.js";
import type { WebhookForm } from "./host.js";
import {
  cardFor,
  mergedCard,
  withBinding,
  withVersions,
  type AdaptedCardVersion,
  type CardVersion,
} from "./version-cards.js";

/** A version of the protocol that an agent takes calls of. */
export interface CallVersion {
  readonly protocol: ProtocolFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  /** How HTTP+JSON looks where its JSON is not that of the model. */
  readonly restJson?: RestJson | undefined;
  readonly codecs?: Codecs | undefined;
  /** Makes its calls those of the agent's own version; absent where it is that. */
  readonly adapter?: VersionAdapter | undefined;
}

/** Another version that an agent serves, as `versions/` of the output has it. */
export interface ServedVersion extends Omit<CallVersion, "adapter"> {
  readonly mapping: VersionMapping;
  readonly discovery: DiscoveryFacts;
}

/** What an adapter knows of the agent. */
type AgentFacts = Pick<CallVersion, "operations" | "errors" | "protocol"> & Pick<ServedVersion, "discovery">;

/** Returns the version that calls are held in which a {@link ServedVersion} lets in. */
export function callVersion(version: ServedVersion, own: AgentFacts): CallVersion {
  return { ...version, adapter: new VersionAdapter(version, own) };
}

/**
 * Makes calls of another version calls of the agent's, and what comes of them responses of the other version. What it
 * converts has been checked in the version that it comes from, and is checked in the one that it is then in.
 */
export class VersionAdapter {
  readonly mapping: VersionMapping;
  readonly cardVersion: AdaptedCardVersion;
  readonly #other: ServedVersion;
  readonly #own: AgentFacts;
  /** The operations of the agent, by their names in the other version. */
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(other: ServedVersion, own: AgentFacts) {
    const { mapping, discovery, protocol } = other;
    this.mapping = mapping;
    this.cardVersion = { version: protocol.version, discovery, mapping };
    this.#other = other;
    this.#own = own;
    this.#operations = new Map(
      own.operations.flatMap((operation) => {
        const found = operationOf(mapping, operation);
        return found === undefined ? [] : [[found.name, operation] as const];
      }),
    );
  }

  /** Returns which operation of the agent one of the other version is. Throws the error where it is none. */
  operation({ name }: Operation): Operation {
    const found = this.#operations.get(name);
    if (found === undefined) throw new this.#own.errors.unsupported(undefined, { metadata: { operation: name } });
    return found;
  }

  /** Returns a request for an operation of the agent. Throws a `ValidationError` for what its version does not have. */
  request(operation: Operation, request: unknown): unknown {
    const found = operationOf(this.mapping, operation);
    return found === undefined ? request : mapped(this.mapping, found.request, request, "own");
  }

  /** Returns what messages call a request that is not valid once it is one of the agent's version. */
  wording({ operation }: { readonly operation: Operation }): string {
    return `${operation.request.name}, as ${this.#own.protocol.version} says it`;
  }

  /**
   * Returns a response of an operation of the agent as callers read it. Throws a `ValidationError` for what their version
   * does not have.
   */
  response(operation: Operation, response: unknown): unknown {
    return this.#response(operation, response, () => undefined);
  }

  /**
   * Returns the events of an operation of the agent as callers read them. `check` is what is done to them before, and
   * `write` has them converted, so that it sees what their version does not have.
   */
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

  /** Returns the card of the agent as callers read it. */
  card(card: object): object {
    const { protocol, discovery } = this.#own;
    return cardFor(card, { version: protocol.version, discovery }, this.cardVersion);
  }

  /** Returns whether an operation of the agent responds with a card. */
  returnsCard(operation: Operation): boolean {
    const found = operationOf(this.mapping, operation);
    return found !== undefined && isSame(found.response, this.mapping.card);
  }

  /** What webhooks get that callers of the version have registered; absent where the version does not say. */
  get webhookForm(): WebhookForm | undefined {
    const { mapping, protocol } = this.#other;
    const { webhook } = mapping;
    if (webhook === undefined) return undefined;
    const bodyOf = (value: unknown): unknown => mapped(mapping, webhook.body, value, "other");
    return { type: webhook.type, contentType: protocol.mediaTypes.http, bodyOf };
  }

  /** Returns an error of the agent's version as one of the other. */
  error(error: A2AError): A2AError {
    const { errors, mapping } = this.#other;
    return translated(error, {
      errors,
      nameOf: (name) => (Object.hasOwn(mapping.errors, name) ? mapping.errors[name] : undefined),
      fallback: ({ httpStatus }) => {
        if (error.constructor === this.#own.errors.extensionRequired) return errors.invalidRequest;
        return httpStatus >= 500 ? errors.internal : errors.unsupported;
      },
    });
  }

  #response(operation: Operation, response: unknown, isLast: () => boolean | undefined): unknown {
    const found = operationOf(this.mapping, operation);
    if (found === undefined) return response;
    if (isObject(response) && this.returnsCard(operation)) return this.card(response);
    const facts = {
      get last() {
        return isLast();
      },
    };
    return mapped(this.mapping, found.response, response, "other", facts);
  }
}

/** The versions that an agent serves, its own first. */
type CallVersions = readonly [CallVersion, ...CallVersion[]];

/**
 * Returns the versions that a call may be held in: the one that it names, or the agent's own. A call that names none is
 * of the version that this means, `assumed`, or of an earlier one, whose callers never name any.
 */
export function versionsFor(versions: CallVersions, named: string, assumed: string): CallVersions {
  const [own, ...others] = versions;
  if (others.length === 0) return versions;
  const asked = minorOf(named || assumed);
  const meant = versions.find(({ protocol }) => protocol.version === asked);
  if (named !== "") return [meant ?? own];
  const earlier = others
    .filter(({ protocol }) => isEarlier(protocol.version, asked))
    .sort((a, b) => (isEarlier(a.protocol.version, b.protocol.version) ? 1 : -1));
  const [first, ...rest] = [...(meant === undefined ? [] : [meant]), ...earlier];
  return first === undefined ? [own] : [first, ...rest];
}

/** The card of an agent that serves several versions, as its own callers and those that name no version see it. */
export class VersionCards {
  readonly #own: CardVersion;
  readonly #others: readonly AdaptedCardVersion[];
  /** The operations that respond with a card. */
  readonly #operations: ReadonlySet<Operation>;

  constructor(own: CardVersion, [{ operations }, ...others]: CallVersions) {
    const adapters = others.flatMap(({ adapter }) => (adapter === undefined ? [] : [adapter]));
    this.#own = own;
    this.#others = adapters.map(({ cardVersion }) => cardVersion);
    this.#operations = new Set(operations.filter((each) => adapters.some((adapter) => adapter.returnsCard(each))));
  }

  /** Returns a card with the interfaces of all versions. */
  own(card: object): object {
    return withBinding(withVersions(card, this.#own, this.#others), this.#own.discovery);
  }

  /** Returns a card with what callers of each version read. */
  merged(card: object): object {
    return mergedCard(card, this.#own, this.#others);
  }

  /** Returns a response of the agent as its own callers see it. */
  response(operation: Operation, response: unknown): unknown {
    return this.#operations.has(operation) && isObject(response) ? this.own(response) : response;
  }
}

function operationOf({ operations }: VersionMapping, { name }: Operation): OperationMapping | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** Whether both are the conversion of one type. */
function isSame(one: Conversion, other: Conversion): boolean {
  return one.kind === "type" && other.kind === "type" && one.name === other.name;
}
