import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { frames, write } from "./frames.js";
import { Messages } from "./messages.js";
import type { Output } from "./output.js";
import { conformanceService } from "./service.js";

/** Properties that the suite requires of the server. */
interface ServerRequest {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
}

// The server of the suite: it reads the required properties from stdin, and writes its address to
// stdout. Its arguments are the folder with the protos, and the path of the output.

const [, , protos = "", path = ""] = process.argv;
const messages = new Messages(protos);
const output = (await import(path)) as Output;
const { value: content } = await frames(process.stdin).next();
const required = messages.decode("ServerCompatRequest", content as Uint8Array) as ServerRequest;
const { useTls, clientTlsCert, messageReceiveLimit, serverCreds } = required;
const tls = {
  cert: Buffer.from(serverCreds?.cert ?? []),
  key: Buffer.from(serverCreds?.key ?? []),
  ...(clientTlsCert.length > 0 && { requestCert: true, ca: Buffer.from(clientTlsCert) }),
};
const service = output.serveConformance({ service: conformanceService(output, messages) });
const server = output.createServiceServer(service, {
  ...(messageReceiveLimit > 0 && { maxMessageBytes: messageReceiveLimit }),
  ...(useTls && { tls }),
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const pemCert = serverCreds?.cert ?? new Uint8Array();
write(messages.encode("ServerCompatResponse", { host: "127.0.0.1", port, pemCert }));
process.on("SIGTERM", () => process.exit());
