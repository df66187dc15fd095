import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";

/** Stands between stores and an engine, and can cut what goes through. */
export class Proxy {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    const address = server.address();
    this.address = `127.0.0.1:${String(typeof address === "object" ? address?.port : "")}`;
  }

  /** Listens on a free port. */
  static async to(engine: NetConnectOpts): Promise<Proxy> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(engine);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.setNoDelay(true);
        one.pipe(other);
        one.on("error", () => undefined);
        one.on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Proxy(server, sockets);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
  }
}
