import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** What has been posted to a webhook. */
export interface Delivery {
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Starts a webhook on a free port for one test. It answers with `status`, not at all, or as a function does. */
export async function startWebhook(
  status: number | "never" | ((delivery: Delivery, response: ServerResponse) => void) = 204,
): Promise<{ readonly url: string; readonly deliveries: readonly Delivery[] }> {
  const deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const delivery = { headers: request.headers, text };
      deliveries.push(delivery);
      if (typeof status === "function") status(delivery, response);
      else if (status !== "never") response.writeHead(status, { location: "/elsewhere" }).end();
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/hook`, deliveries };
}
