import type { TaskStore } from "../../../templates/kit/store.js";
import type { Random } from "../../support/random/random.js";
import type { Proxy } from "../proxy.js";

/** An engine of this run's own, which stores connect to. */
export interface Engine {
  /** What {@link EngineKind.open} takes. */
  readonly address: string;
  /** Ends the engine, as it is ended for good or in a crash, and starts it again; absent where there is no process. */
  restart?(how: "orderly" | "crash"): Promise<void>;
  /** What stands between stores and the engine; absent if there are no connections. */
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
  /** Why there is none here; `undefined` where there is one. */
  readonly missing: string | undefined;
  /** Starts the engine; `random` decides which connections its proxy harms. */
  start(random: Random): Promise<Engine>;
  /** Opens a store, in any process. */
  open(address: string): OpenStore;
}
