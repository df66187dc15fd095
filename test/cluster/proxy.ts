import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import type { Random } from "../support/random/random.js";

/**
 * Fault after a dropped response: the end of the connection, a reset, silence, or the next
 * response.
 */
export type Aftermath = "cut" | "reset" | "silence" | "next";

/** A connection of a store, and the one to the engine that serves it. */
class Tunnel {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #random: Random;
  #swallows: { readonly then: Aftermath; readonly done: () => void } | undefined;
  #isSilent = false;
  #delayMs = 0;
  /** Responses that wait, the first one for its time and the others for their turn. */
  readonly #late: Buffer[] = [];

  constructor(near: Socket, far: Socket, random: Random, onClose: () => void) {
    this.#near = near;
    this.#far = far;
    this.#random = random;
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.cut();
        onClose();
      });
    }
    near.on("data", (request) => {
      if (!this.#isSilent) far.write(request);
    });
    far.on("data", (response) => {
      this.#respond(response);
    });
  }

  /**
   * Swallows the next response: the engine has done what it was asked by then. Resolves when that
   * has happened.
   */
  swallow(then: Aftermath): Promise<void> {
    return new Promise((done) => {
      this.#swallows = { then, done };
    });
  }

  /** Lets responses come late, in their order. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Ends what is wrong, a connection that is silent with it. */
  mend(): void {
    this.#swallows?.done();
    this.#swallows = undefined;
    this.#delayMs = 0;
    if (this.#isSilent) this.cut();
  }

  cut(): void {
    this.#swallows?.done();
    this.#near.destroy();
    this.#far.destroy();
  }

  /** Hands on what waits, in its order. */
  #hand(): void {
    const hand = () => {
      const late = this.#late.splice(0);
      if (late.length > 0 && !this.#near.destroyed) this.#near.write(Buffer.concat(late));
    };
    if (this.#delayMs === 0) hand();
    else setTimeout(hand, this.#delayMs);
  }

  #respond(response: Buffer): void {
    if (this.#isSilent) return;
    if (this.#swallows === undefined) {
      this.#late.push(response);
      if (this.#late.length === 1) this.#hand();
      return;
    }
    const { then, done } = this.#swallows;
    this.#swallows = undefined;
    done();
    // Data of an earlier, delayed response.
    if (this.#late.length > 0) this.#near.write(Buffer.concat(this.#late.splice(0)));
    // Some of the responses that come together may still be seen, of one of them only a part.
    if (then !== "next" && this.#random.oneIn(3))
      this.#near.write(response.subarray(0, this.#random.below(response.length)));
    if (then === "silence") this.#isSilent = true;
    if (then === "reset") this.#near.resetAndDestroy();
    if (then === "cut") this.#near.end();
  }
}

/** Proxy between stores and an engine that injects faults. */
export class Proxy {
  readonly #engine: NetConnectOpts;
  readonly #server: Server;
  readonly #tunnels = new Set<Tunnel>();
  readonly #random: Random;
  #port = 0;

  private constructor(engine: NetConnectOpts, random: Random) {
    this.#engine = engine;
    this.#random = random;
    this.#server = createServer((near) => {
      const tunnel = new Tunnel(near, connect(this.#engine), random, () =>
        this.#tunnels.delete(tunnel),
      );
      this.#tunnels.add(tunnel);
    });
  }

  /** Listens on a free port. */
  static async to(engine: NetConnectOpts, random: Random): Promise<Proxy> {
    const proxy = new Proxy(engine, random);
    await proxy.#listen();
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${String(this.#port)}`;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const tunnel of this.#tunnels) tunnel.cut();
  }

  /**
   * Swallows the next response of one in some connections. Resolves when the first one has lost it.
   */
  async swallow(then: Aftermath, oneIn = 2): Promise<void> {
    const chosen = [...this.#tunnels].filter(() => this.#random.oneIn(oneIn));
    if (chosen.length > 0) await Promise.race(chosen.map((tunnel) => tunnel.swallow(then)));
  }

  /** Lets the responses of some connections come late. */
  delay(ms: number): void {
    for (const tunnel of this.#tunnels) if (this.#random.oneIn(2)) tunnel.delay(ms);
  }

  /**
   * Ends what is wrong: nothing more is swallowed or late, and connections that are silent are cut.
   */
  mend(): void {
    for (const tunnel of this.#tunnels) tunnel.mend();
  }

  /** Cuts all connections and refuses new ones for some time. */
  async refuse(ms: number): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
    await new Promise((resolve) => setTimeout(resolve, ms));
    await this.#listen();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (typeof address === "object") this.#port = address?.port ?? 0;
  }
}
