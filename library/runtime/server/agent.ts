import type { Core } from "./core.js";

/**
 * An agent that is ready to be served. It has no public members: pass it to the handlers of
 * `server/`.
 */
export class Agent {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Returns the core of an agent, for the handlers.
   * @internal
   */
  static coreOf(agent: Agent): Core {
    return agent.#core;
  }
}
