import type { HttpPart, HttpResponse } from "a2a-codegen-runtime/internal/server";
import { findAsset, pageHeaders } from "../server/assets.js";

/** Options for {@link inspector}. */
export interface InspectorOptions {
  /** Path of the page. Default: `/inspector`. */
  readonly path?: string;
}

/**
 * Serves a page for trying out the agent: with its card, a chat, and each request and response.
 * Every client that can reach the agent can open the page. Calls from the page require the same
 * credentials as other calls.
 *
 * @example
 * createServer(nodeListener(agent, { inspector: inspector() })).listen(4000);
 */
export function inspector({ path = "/inspector" }: InspectorOptions = {}): HttpPart {
  const base = `/${path.split("/").filter(Boolean).join("/")}`;
  if (base === "/")
    throw new TypeError("`path` of the inspector must not be the root, where the agent is");
  // Use a relative URL, because the framework may have removed the start of the agent's path.
  const agent = "../".repeat(base.split("/").length - 1);
  const config = JSON.stringify({ url: agent, grpc: false, isAgent: true });
  return (request, isProbe) => {
    const [requested = ""] = request.url.split("?", 1);
    const isPage = requested === base || requested.startsWith(`${base}/`);
    if (!isPage || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
    if (isProbe === true) return Promise.resolve({ status: 204, headers: {} });
    return Promise.resolve(responseTo(requested.slice(base.length), base, config));
  };
}

function responseTo(file: string, base: string, config: string): HttpResponse {
  if (file === "")
    return { status: 302, headers: { location: `./${base.split("/").at(-1) ?? ""}/` } };
  if (file === "/config")
    return {
      status: 200,
      headers: { ...pageHeaders, "content-type": "application/json" },
      body: config,
    };
  const asset = findAsset(file.slice(1), "");
  if (asset === undefined)
    return { status: 404, headers: { "content-type": "text/plain" }, body: "Not Found\n" };
  return {
    status: 200,
    headers: { ...pageHeaders, "content-type": asset.type },
    body: asset.body.toString(),
  };
}
