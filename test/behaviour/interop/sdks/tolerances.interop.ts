import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { Binding, Caller } from "../peers.js";
import { tolerances, type ToleranceName } from "../tolerances.js";
import { clientOf, serverOf, type Sdk } from "./sides.js";
import { cardOf } from "../card.js";
import { v03, v1 } from "../dialect.js";
import { portOf } from "../../../support/ports.js";

/** The SDKs that `npm run interop` has installed. */
const sdks = JSON.parse(process.env["INTEROP_SDKS"] ?? "[]") as readonly Sdk[];

/**
 * A plain server that clients of an SDK are tried with: it shows what they would make of responses
 * without tolerance.
 */
interface Plain {
  readonly asked: string[];
  readonly caller: Caller;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Connects a client of an SDK to a plain server, which has a card and responds to everything else
 * as a function says.
 */
async function plain(sdk: Sdk, binding: Binding, respond: Respond): Promise<Plain> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const port = portOf(server);
    const url = `http://127.0.0.1:${String(port)}/`;
    const isOld = sdk.version !== "1.0";
    const card = cardOf(
      { url, grpcUrl: url },
      isOld && sdk.model !== undefined ? "0.3" : sdk.version,
    );
    if (request.url?.includes("well-known") === true)
      json(response, 200, (isOld ? v03 : v1).card(card));
    else {
      asked.push(request.url ?? "");
      respond(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  const caller = await clientOf(sdk)(`http://127.0.0.1:${String(port)}/`, binding);
  onTestFinished(() => {
    caller.close();
    server.closeAllConnections();
    server.close();
  });
  return { asked, caller };
}

function json(response: ServerResponse, status: number, body: object, type = "application/json") {
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}

/** Returns the class of the error that a call ends with. */
async function classOf(call: Promise<unknown>) {
  return call.then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.name : ""),
  );
}

const notFound = {
  code: 404,
  status: "NOT_FOUND",
  message: "gone",
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "TASK_NOT_FOUND",
      domain: "a2a-protocol.org",
    },
  ],
};

/** Returns whether an SDK still does what a tolerance is for. */
const probes: Partial<Readonly<Record<ToleranceName, (sdk: Sdk) => Promise<boolean>>>> = {
  async "media types of responses"(sdk) {
    const respond: Respond = (_, response) =>
      json(response, 404, { error: notFound }, "application/a2a+json");
    const { caller } = await plain(sdk, "HTTP+JSON", respond);
    return (await classOf(caller.call("getTask", { id: "t" }))) !== "TaskNotFoundError";
  },
  async "the filter of ListTasks"(sdk) {
    const empty = { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };
    const { asked, caller } = await plain(sdk, "HTTP+JSON", (_, response) =>
      json(response, 200, empty),
    );
    await caller.call("listTasks", { statusTimestampAfter: "2026-01-02T03:04:05Z" });
    return asked.some((url) => url.includes("lastUpdatedAfter="));
  },
  async "errors of 0.3 over HTTP+JSON"(sdk) {
    const body = { code: -32001, message: "gone" };
    const { caller } = await plain(sdk, "HTTP+JSON", (_, response) => json(response, 404, body));
    return (await classOf(caller.call("getTask", { id: "t" }))) !== "TaskNotFoundError";
  },
  async "absent defaults"(sdk) {
    const host = await serverOf(sdk)();
    onTestFinished(() => host.close());
    const response = await fetch(`${host.url}rest/tasks?contextId=none`, {
      headers: { "a2a-version": "1.0" },
    });
    return !Object.hasOwn((await response.json()) as object, "totalSize");
  },
};

for (const [name, probe] of Object.entries(probes)) {
  const peers: readonly string[] = tolerances[name as ToleranceName].peers;
  for (const sdk of sdks.filter((one) => peers.includes(one.name)))
    it(`${sdk.name} still needs the tolerance for ${name}; if not, remove it from the row`, async () => {
      expect(await probe(sdk)).toBe(true);
    });
}
