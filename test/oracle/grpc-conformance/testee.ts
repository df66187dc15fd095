import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createWireServer } from "../../../library/runtime/bindings/http2/server.js";
import { Messages } from "./messages.js";
import { conformanceService } from "./service.js";

/** Properties that the suite requires of the server. */
interface ServerRequest {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
}

// The server of the suite: it reads the required properties from stdin, and writes its address to stdout,
// each with its length in four bytes. Its argument is the folder with the protos.

const [, , protos = ""] = process.argv;
const messages = new Messages(protos);
const length = (await read(4)).readUInt32BE();
const required = messages.decode("ServerCompatRequest", await read(length)) as ServerRequest;
const { useTls, clientTlsCert, messageReceiveLimit, serverCreds } = required;
const tls = {
  cert: Buffer.from(serverCreds?.cert ?? []),
  key: Buffer.from(serverCreds?.key ?? []),
  ...(clientTlsCert.length > 0 && { requestCert: true, ca: Buffer.from(clientTlsCert) }),
};
const server = createWireServer(
  conformanceService(messages),
  // The suite only calls the service, so other requests have another media type.
  (_, response) => void response.writeHead(415).end(),
  {
    ...(messageReceiveLimit > 0 && { maxMessageBytes: messageReceiveLimit }),
    ...(useTls && { tls }),
  },
);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const response = messages.encode("ServerCompatResponse", {
  host: "127.0.0.1",
  port,
  pemCert: serverCreds?.cert ?? new Uint8Array(),
});
const head = Buffer.alloc(4);
head.writeUInt32BE(response.length);
process.stdout.write(Buffer.concat([head, response]));
process.on("SIGTERM", () => process.exit());

async function read(size: number): Promise<Buffer> {
  for (;;) {
    const bytes = process.stdin.read(size) as Buffer | null;
    if (bytes !== null) return bytes;
    await once(process.stdin, "readable");
  }
}
