import { once } from "node:events";
import { createServer, type Server } from "node:http";

/** The webhook of a task, and the generations that were posted to it. */
export interface Hook {
  readonly url: string;
  readonly posted: number[];
}

/** Receives what agents post, and fails now and then. */
export class Receiver {
  readonly #server: Server;
  readonly #hooks: number[][] = [];
  #count = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const key = String(request.headers["idempotency-key"]);
      request.resume().on("end", () => {
        this.#count += 1;
        const isTaken = this.#count % 20 !== 0;
        if (isTaken)
          this.#hooks[Number(request.url?.slice(1))]?.push(
            Number(/\/(\d+)\/[\da-f]+"$/.exec(key)?.[1]),
          );
        response.writeHead(isTaken ? 204 : 503).end();
      });
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  hook(): Hook {
    const posted: number[] = [];
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const url = `http://127.0.0.1:${String(port)}/${String(this.#hooks.push(posted) - 1)}`;
    return { url, posted };
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
