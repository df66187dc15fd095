import { parseArgs } from "node:util";
import { bearerTokens } from "./auth.js";
import { startEchoAgent } from "./server.js";

const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "4000" },
    "grpc-port": { type: "string", default: "4001" },
    "private-webhooks": { type: "boolean", default: false },
  },
});
const token = process.env["ECHO_TOKEN"];

const agent = await startEchoAgent({
  host: values.host,
  port: Number(values.port),
  grpcPort: Number(values["grpc-port"]),
  ...(token ? { authenticate: bearerTokens(new Map([[token, "owner"]])) } : {}),
  push: { allowPrivateAddresses: values["private-webhooks"] },
});

for (const { protocolBinding, url } of agent.card.supportedInterfaces)
  console.log(protocolBinding.padEnd(10), url);
const stop = (): void => void agent.close();
process.once("SIGINT", stop).once("SIGTERM", stop);
