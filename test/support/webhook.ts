import type { ServerResponse } from "node:http";
import { serve, type Received } from "./http.js";

/**
 * Starts a webhook on a free port for one test. It answers with `status`, not at all, or as a
 * function does.
 */
export async function startWebhook(
  status: number | "never" | ((received: Received, response: ServerResponse) => void) = 204,
): Promise<{ readonly url: string; readonly deliveries: readonly Received[] }> {
  const { url, requests } = await serve((received, response) => {
    if (typeof status === "function") status(received, response);
    else if (status !== "never") response.writeHead(status, { location: "/elsewhere" }).end();
  });
  return { url: `${url}/hook`, deliveries: requests };
}
