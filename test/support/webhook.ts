import { serve, type Received } from "./http.js";

/** Starts a webhook on a free port for one test. It answers with `status`, or not at all. */
export async function startWebhook(
  status: number | "never" = 204,
): Promise<{ readonly url: string; readonly deliveries: readonly Received[] }> {
  const { url, requests } = await serve((_, response) => {
    if (status !== "never") response.writeHead(status, { location: "/elsewhere" }).end();
  });
  return { url: `${url}/hook`, deliveries: requests };
}
