import { isThenable } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { A2AError, ErrorTable } from "../protocol/error.js";
import { isSendable } from "../protocol/sendable.js";
import { minorOf } from "../protocol/version.js";
import type { DiscoveryFacts, Operation, ServiceFacts } from "../protocol/operation.js";
import { cardWarning, findCardProblems } from "../protocol/card-problems.js";
import { AccessCheck, cardFor, isFactory } from "./access.js";
import { Admission } from "./admission.js";
import { Callers } from "./callers.js";
import { challengeOfCard, checkCard, checkOptions } from "./checks.js";
import type { CardCaller } from "./context.js";
import type { CoreParts } from "./core-parts.js";
import { type ErrorSubject, serviceFor } from "./host.js";
import { EventStream } from "./event-stream.js";
import { Extensions } from "./extensions.js";
import { Failures } from "./failures.js";
import { Context, Exchange, type IncomingRequest } from "./exchange.js";
import { Reporter, type CoreOptions } from "./hooks.js";
import { Rates } from "./rates.js";
import { readRequest, tenantOf, type AcceptedCall, type OpenedRequest } from "./request.js";
import { Invoker } from "./invoker.js";
import { Observation, type Observe } from "./observer.js";
import { CardForms, versionsFor, type CallVersions, type CardForm } from "./versions.js";

/**
 * The part of a server that is the same for every binding. A call passes through stages. First, an
 * {@link Exchange} is created from the head of the request. Then {@link Core.accept} authenticates
 * the caller, lets the binding find the operation, checks the version, extensions and capabilities,
 * and reads the request. Finally, {@link Core.unary} or {@link Core.stream} calls the service.
 * Errors are returned as an {@link A2AError} that is safe to send.
 */
export class Core {
  readonly protocol: ServiceFacts;
  readonly discovery: DiscoveryFacts;
  readonly errors: ErrorTable;
  /** The served versions, with the agent's version first. */
  readonly versions: CallVersions;
  /**
   * The numbers of all served versions, including versions without an adapter, with the agent's
   * version first.
   */
  readonly served: readonly string[];
  /** The paths at which handlers serve JSON-RPC, for hints. */
  readonly jsonRpcPaths: Set<string>;
  /** The `WWW-Authenticate` header of a response to a call without credentials. */
  readonly challenge: string;
  /** Receives a report about each request. */
  readonly observe: Observe | undefined;
  /** The callers, to limit the rate of their large requests on all bindings. */
  readonly callers: Callers;
  readonly #parts: CoreParts;
  readonly #options: CoreOptions;
  readonly #versionHeader: string | undefined;
  readonly #assumedVersion: string;
  /** The possible versions of a call that does not specify one. */
  readonly #unnamed: CallVersions;
  /** The possible versions of a call, by the exact version that the call specifies. */
  readonly #named = new Map<string, CallVersions>();
  readonly #cards: CardForms;
  readonly #reporter: Reporter;
  readonly #failures: Failures;
  readonly #admission: Admission;
  readonly #rates: Rates | undefined;
  readonly #access: AccessCheck;
  readonly #extensions: Extensions | undefined;
  readonly #invoker: Invoker;

  /**
   * Throws a `TypeError` for invalid options and cards, which would otherwise fail only at the
   * first call.
   */
  constructor(parts: CoreParts) {
    const { protocol, discovery, operations, errors, errorWriter, signatures, card, cardType } =
      parts;
    const { service, accepts = {}, options = {} } = parts;
    const {
      assumeVersion,
      interceptors = [],
      validateResponses: validate = true,
      versions: more = [],
    } = options;
    const reporter = new Reporter(options);
    checkOptions(options);
    const others = more.filter((version) => typeof version !== "string");
    const versions = [protocol.version, ...more.filter((version) => typeof version === "string")];
    const served = [...versions, ...others.map((version) => version.protocol.version)];
    if (!isFactory(card)) checkCard(card, served, discovery);
    const problems =
      cardType === undefined || isFactory(card)
        ? []
        : findCardProblems(card, { ...parts, type: cardType });
    const warning = cardWarning(problems);
    if (warning !== undefined) reporter.error(warning);
    this.served = served;
    this.jsonRpcPaths = new Set();
    this.protocol = protocol;
    this.discovery = discovery;
    this.errors = errors;
    const own = { protocol, operations, errors, errorWriter };
    this.versions = [
      own,
      ...others.map((version) => version.adaptedTo({ ...own, discovery, signatures })),
    ];
    this.#assumedVersion = assumeVersion ?? protocol.assumedVersion;
    this.#unnamed = versionsFor(this.versions, "", this.#assumedVersion);
    for (const version of this.versions.map((callVersion) => callVersion.protocol.version))
      this.#named.set(version, versionsFor(this.versions, version, this.#assumedVersion));
    this.#cards = new CardForms(this.versions, { discovery, signatures }, (error) => {
      reporter.error(error);
    });
    const cardChallenge = isFactory(card) ? undefined : challengeOfCard(card, discovery);
    this.challenge = options.challenge ?? cardChallenge ?? "Bearer";
    this.observe = options.observe && ((report) => options.observe?.(report));
    this.#parts = parts;
    this.#options = options;
    this.#versionHeader = protocol.headers?.version.toLowerCase();
    this.#reporter = reporter;
    this.#failures = new Failures(errors, reporter);
    this.#admission = new Admission({ options, discovery, errors, reporter });
    this.#rates =
      options.rates &&
      new Rates(options.rates, errors, (error) => {
        reporter.error(error);
      });
    this.callers = new Callers(options.rates ?? {});
    if (!isFactory(card)) this.#admission.see(card);
    const { extensions = [] } = options;
    this.#extensions =
      extensions.length === 0 ? undefined : new Extensions(extensions, { discovery, signatures });
    // If the signed card does not contain the extensions, throw now and not at the first request
    // for the card.
    if (!isFactory(card)) this.#extensions?.declared(card);
    const requiredExtensions = this.#extensions?.required;
    const rules = {
      protocol,
      discovery,
      errors,
      card,
      assumeVersion,
      versions,
      served,
      requiredExtensions,
    };
    this.#access = new AccessCheck(rules);
    const host = {
      card: ({ headers }: CardCaller) => cardFor(card, headers),
      extensions,
      report: (error: unknown, subject?: ErrorSubject) => {
        reporter.error(error, undefined, subject);
      },
      webhookForm: (version: string) => {
        const served = this.versions.find((candidate) => candidate.protocol.version === version);
        return served?.adapter?.webhookForm;
      },
    };
    this.#invoker = new Invoker({
      card: host.card,
      service: serviceFor(service, host),
      errors,
      interceptors,
      accepts,
      validate,
      reporter,
    });
  }

  /** Whether the agent card is created for each caller. */
  get hasCardPerCaller(): boolean {
    return isFactory(this.#parts.card);
  }

  /** Starts an exchange with the head of a request. */
  begin(incoming: IncomingRequest): Exchange {
    const named = this.#versionIn(incoming.headers) || (incoming.version ?? "");
    const exchange = new Exchange(incoming, named, this.#versionsFor(named));
    if (this.observe !== undefined) {
      const watch = incoming.source.watch;
      const observation = watch instanceof Observation ? watch : new Observation(this.observe);
      observation.exchange = exchange;
      exchange.observation = observation;
    }
    return exchange;
  }

  /**
   * Authenticates the caller, and then checks whether the call is allowed. `open` returns the
   * operation of the request. The body is not read before `open` is called. Never throws: if a call
   * is rejected, reports it and returns the error to send.
   */
  async accept(
    exchange: Exchange,
    open: () => OpenedRequest | Promise<OpenedRequest>,
  ): Promise<AcceptedCall | A2AError> {
    let operation: Operation | undefined;
    const rates = this.#rates;
    try {
      // Count the call before the credentials are checked, so that a caller cannot try many
      // credentials.
      let now = rates === undefined ? 0 : (exchange.observation?.since ?? performance.now());
      const counting = rates?.address(exchange, now);
      if (counting !== undefined) await counting;
      // Only await promises, because each iteration of the microtask queue takes as long as a small
      // check.
      const found = this.#options.authenticate?.(exchange);
      const identified = isThenable(found) ? await found : found;
      const isAnonymous = this.#admission.isAnonymous(identified);
      if (!isAnonymous) {
        exchange.user = identified;
        // Read the clock again, because `authenticate` or the counter may have taken a long time.
        const hasWaited = counting !== undefined || found !== identified;
        if (rates !== undefined && hasWaited) now = performance.now();
        const admitting = rates?.caller(identified, now);
        if (admitting !== undefined) await admitting;
      }
      // Do not call `open` earlier, because the body must only be read for authenticated callers.
      const opening = open();
      const opened = opening instanceof Promise ? await opening : opening;
      operation = exchange.version.adapter?.operation(opened.operation) ?? opened.operation;
      if (exchange.observation !== undefined) exchange.observation.operation = operation;
      const checking = this.#access.check(exchange, operation);
      const access = isThenable(checking) ? await checking : checking;
      const reading = opened.read();
      const raw: unknown = reading instanceof Promise ? await reading : reading;
      const request = readRequest(raw, opened, {
        operation,
        exchange,
        missing: access.missing,
        deviations: this.#options,
      });
      const tenant = tenantOf(request, this.protocol);
      const user = isAnonymous ? this.#options.anonymous : identified;
      const context = new Context(exchange, { operation, user, isAnonymous, tenant }, access);
      const call = { name: operation.name, operation, request, context, exchange };
      const authorizing = this.#options.authorize?.(call);
      if (isThenable(authorizing)) await authorizing;
      const extending = this.#extensions?.accept(call);
      if (extending !== undefined) await extending;
      if (exchange.observation !== undefined) exchange.observation.context = context;
      return call;
    } catch (thrown) {
      // The error of a hook, such as `authenticate`, may only state that the agent is unavailable.
      // Report its cause to operators.
      if (isSendable(thrown) && thrown.httpStatus >= 500 && thrown.cause !== undefined)
        this.#reporter.error(thrown.cause);
      const reason = operation === undefined ? this.#access.unknown(thrown, exchange) : thrown;
      const error = this.#failures.toSend(reason, exchange);
      if (exchange.observation !== undefined) exchange.observation.isRefused = true;
      this.#reporter.refused(error, exchange, operation);
      return error;
    }
  }

  /**
   * Makes a call with one response, and writes the response. Never throws: returns the error to
   * send instead. Returns a promise only if the service does.
   */
  unary<T>(
    call: AcceptedCall,
    write: (response: unknown) => T,
  ): T | A2AError | Promise<T | A2AError> {
    try {
      const result = this.#invoker.begin(call);
      return isThenable(result)
        ? this.#unaryLater(call, result, write)
        : this.#respond(call, result, write);
    } catch (thrown) {
      return this.#failures.toSend(thrown, call.exchange, call.context);
    }
  }

  async #unaryLater<T>(
    call: AcceptedCall,
    result: PromiseLike<unknown>,
    write: (response: unknown) => T,
  ): Promise<T | A2AError> {
    try {
      return this.#respond(call, await result, write);
    } catch (thrown) {
      return this.#failures.toSend(thrown, call.exchange, call.context);
    }
  }

  /** Checks the result of a call and writes it. */
  #respond<T>(call: AcceptedCall, result: unknown, write: (response: unknown) => T): T {
    const { operation, context, exchange } = call;
    const response = this.#shown(operation, this.#invoker.response(result, call));
    const { adapter } = exchange.version;
    if (adapter === undefined)
      return this.#failures.written(this.#cards.response(operation, response), context, write);
    return this.#failures.written(response, context, (own) =>
      write(adapter.response(operation, own)),
    );
  }

  /**
   * Makes a call with a stream of responses, and writes each response. Waits for the first response
   * for at most `withinMs`; if this is 0, waits without a limit. Never throws: if the call fails
   * before the first response, returns the error to send. A later error is the last element of the
   * stream.
   */
  async stream<T>(
    call: AcceptedCall,
    write: (event: unknown) => T,
    withinMs = 0,
  ): Promise<EventStream<T> | A2AError> {
    const { operation, context, exchange } = call;
    try {
      const { adapter } = exchange.version;
      const source = this.#admission.guarded(
        await this.#invoker.stream(call),
        exchange,
        exchange.user,
      );
      const check = (event: unknown): unknown => this.#invoker.checked(event, call);
      const written = <R>(event: unknown, format: (event: unknown) => R): R =>
        this.#failures.written(event, context, format);
      const events = adapter?.events(operation, source, check, written) ?? source;
      const stream = new EventStream<T>(events, {
        write: (event) => written(adapter === undefined ? check(event) : event, write),
        fail: (thrown) => this.#failures.toSend(thrown, exchange, context),
        abort: () => {
          exchange.abort();
        },
      });
      // Register the callback before the first event is awaited, because a caller may disconnect
      // while the service is still silent.
      exchange.onClose(() => void stream.return());
      return (await stream.start(withinMs)) ?? stream;
    } catch (thrown) {
      return this.#failures.toSend(thrown, exchange, context);
    }
  }

  /**
   * Returns the agent card for the caller with these headers, in the version that they specify, or
   * the error to send. `form` applies to callers that do not specify a version. Never throws.
   */
  async card({ headers }: CardCaller, form: CardForm = "merged"): Promise<object> {
    try {
      const card = await cardFor(this.#parts.card, headers);
      if (!isObject(card))
        throw new TypeError("The agent card must be an object: return it from the card function");
      this.#admission.see(card);
      const declared = this.#extensions?.declared(card) ?? card;
      const named = this.#versionIn(headers);
      if (named === "" && form !== "selected") return this.#cards[form](declared);
      return this.#versionsFor(named)[0].adapter?.card(declared) ?? this.#cards.own(declared);
    } catch (thrown) {
      return this.#failures.toSend(thrown);
    }
  }

  /** Returns the response. If it is an agent card, adds the agent's extensions. */
  #shown(operation: Operation, response: unknown): unknown {
    if (this.#extensions === undefined || !isObject(response)) return response;
    const isCard = operation.response.name === this.#parts.cardType?.name;
    return isCard ? this.#extensions.declared(response) : response;
  }

  /** Returns a hint for a call whose version is assumed, because it does not specify one. */
  versionHint({ namedVersion, version: { protocol } }: Exchange): string {
    const { version, headers } = protocol;
    const isAssumed = namedVersion === "" && version === minorOf(this.#assumedVersion);
    return isAssumed && headers !== undefined
      ? `; without the header ${headers.version}, a call has version ${version}`
      : "";
  }

  /** Returns the version that the headers of a request specify, or an empty string. */
  #versionIn(headers: CardCaller["headers"]): string {
    const name = this.#versionHeader;
    return name === undefined ? "" : (headers.get(name) ?? "").trim();
  }

  /** Returns the possible versions of a call; `named` is empty if the call does not specify one. */
  #versionsFor(named: string): CallVersions {
    if (named === "") return this.#unnamed;
    return this.#named.get(named) ?? versionsFor(this.versions, named, this.#assumedVersion);
  }
}
