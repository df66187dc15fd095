import type { TaskStore } from "../../../library/kit/store.js";
import type { Random } from "../../support/random/random.js";
import type { Proxy } from "../proxy.js";

/** An engine of this run's own, which stores connect to. */
export interface Engine {
  /** Argument of {@link EngineKind.open}. */
  readonly address: string;
  /**
   * Stops the engine, by shutdown or crash, and starts it again. Absent if the engine has no
   * process.
   */
  restart?(how: "orderly" | "crash"): Promise<void>;
  /** Proxy between stores and the engine. Absent if the engine has no connections. */
  readonly proxy?: Proxy;
  stop(): Promise<void>;
}

/** A store, and how to let go of it. */
export interface OpenStore {
  readonly store: TaskStore;
  close(): Promise<void>;
}

/** A kind of engine, with the store for it. */
export interface EngineKind {
  /** Reason why the engine is not available, or `undefined` if it is. */
  readonly missing: string | undefined;
  /** Starts the engine; `random` decides which connections its proxy harms. */
  start(random: Random): Promise<Engine>;
  /** Opens a store, in any process. */
  open(address: string): OpenStore;
}
