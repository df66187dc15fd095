import type { Core } from "./core.js";

/** An agent, ready to be served. It has no members of its own: hand it to the handlers of `server/`. */
export class Agent {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Returns what the handlers work with. */
  static coreOf(agent: Agent): Core {
    return agent.#core;
  }
}
