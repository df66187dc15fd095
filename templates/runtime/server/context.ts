import type { FieldRequirement, Operation } from "../protocol/operation.js";
import type { CallHeaders } from "../protocol/headers.js";

/** Who asks: all that is known where there is no call yet, as for the agent card. */
export interface Caller {
  readonly headers: CallHeaders;
}

/** What the agent knows about a call besides its request. */
export interface CallContext extends Caller {
  readonly operation: Operation;
  /** The name of the binding that the call came in on, as agent cards spell it. */
  readonly binding: string;
  /** The version of the protocol that the call is held in: `Major.Minor`. */
  readonly version: string;
  /** The URIs of the extensions that the caller asked for. */
  readonly extensions: readonly string[];
  /** The tenant that the request names. */
  readonly tenant: string | undefined;
  /** What the `authenticate` hook gave. */
  readonly user: unknown;
  /** Fires when the caller goes away before the answer is complete. */
  readonly signal: AbortSignal;
  /**
   * Tells the caller that an extension is in use. The answer names it in its headers, so a stream has to activate its
   * extensions before it gives its first event. Throws a `TypeError` where `uri` is not the text of a URI.
   */
  activateExtension(uri: string): void;
}

/** What a binding says about a call when it comes in. */
export interface CallStart {
  readonly operation: Operation;
  readonly binding: string;
  readonly headers: CallHeaders;
  /** The version where the call carries it elsewhere than in its headers. */
  readonly version?: string | undefined;
  /** Reads calls of earlier versions, on a binding that takes them. */
  readonly legacy?: { readonly reads: (version: string) => boolean } | undefined;
  /** Registers what to do when the caller goes away; calls it at once where that has happened. */
  readonly onClose: (listener: () => void) => void;
}

const none: readonly never[] = [];

/** A call on its way through the core. */
export class Call implements CallContext {
  readonly operation: Operation;
  readonly binding: string;
  readonly headers: CallHeaders;
  /** As the caller names it until the core has checked it. */
  version: string;
  readonly legacy: CallStart["legacy"];
  readonly extensions: readonly string[];
  tenant: string | undefined = undefined;
  user: unknown = undefined;
  /** What the agent card does not declare and fields of the request take. */
  lacks: readonly FieldRequirement[] = none;
  readonly #onClose: (listener: () => void) => void;
  #controller: AbortController | undefined;
  #aborted = false;
  #activated: string[] | undefined;

  /** `names` are the headers with the version and the extensions, in lower case. */
  constructor(start: CallStart, names: { readonly version: string; readonly extensions: string }) {
    this.operation = start.operation;
    this.binding = start.binding;
    this.headers = start.headers;
    this.version = (start.headers.get(names.version) ?? "").trim() || (start.version ?? "");
    this.legacy = start.legacy;
    this.extensions = splitList(start.headers.get(names.extensions));
    this.#onClose = start.onClose;
  }

  /** Made when it is first asked for: most calls are over before anybody wants to know. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
      else
        this.#onClose(() => {
          this.abort();
        });
    }
    return this.#controller.signal;
  }

  /** The extensions in use, as the answer names them; `undefined` where there are none. */
  get activated(): string | undefined {
    return this.#activated?.join(", ");
  }

  activateExtension(uri: string): void {
    if (!/^[!-+\--~]+$/.test(uri)) throw new TypeError(`Not the URI of an extension: ${JSON.stringify(uri)}`);
    this.#activated ??= [];
    if (!this.#activated.includes(uri)) this.#activated.push(uri);
  }

  /** Tells whether the service has been told that nobody waits for the answer any more. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** Registers what to do when the caller goes away; calls it at once where that has happened. */
  onClose(listener: () => void): void {
    this.#onClose(listener);
  }

  /** Tells whoever listens that nobody waits for the answer any more. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

function splitList(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return none;
  return [...new Set(text.split(",").map((item) => item.trim()))].filter((item) => item !== "");
}
