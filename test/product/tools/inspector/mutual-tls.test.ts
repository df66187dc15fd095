import { Server, ServerCredentials } from "@grpc/grpc-js";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent, type AgentCard } from "../../../../generated/1.0/index.js";
import { completed, taskService, working } from "../../../../generated/1.0/kit/index.js";
import { grpcService } from "../../../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { certificates, type Certificate } from "../../../support/certificates.js";
import { portOf } from "../../../support/ports.js";
import { a2a, a2aJson, agentWith } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { aCard } from "../../../support/cards.js";

/** Starts an agent on JSON-RPC and gRPC that only accepts connections with a client certificate. */
async function agentFor({
  ca,
  cert,
  key,
}: Certificate): Promise<{ readonly url: string; readonly callers: string[] }> {
  const callers: string[] = [];
  const [http, grpc] = [
    createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: true }),
    new Server(),
  ];
  await once(http.listen(0, "localhost"), "listening");
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  const secure = ServerCredentials.createSsl(Buffer.from(ca), [pair], true);
  const grpcPort = await new Promise<number>((resolve, reject) => {
    grpc.bindAsync("localhost:0", secure, (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
  const url = `https://localhost:${portOf(http)}`;
  const card: AgentCard = aCard(
    [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: `https://localhost:${grpcPort}`, protocolBinding: "GRPC", protocolVersion: "1.0" },
    ],
    {
      name: "Guarded",
      securitySchemes: { tls: { mtlsSecurityScheme: {} } },
      skills: [{ id: "guarded", name: "Guarded", description: "Completes.", tags: ["test"] }],
    },
  );
  const service = taskService<string, never>({
    async *run() {
      yield working();
      return completed("Done");
    },
  });
  const agent = createAgent({
    card,
    service,
    authenticate: () => "everybody",
    onError: () => undefined,
  });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  const listener = nodeListener(agent);
  http.on("request", (request, response) => {
    const { socket } = request;
    callers.push(socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : "");
    listener(request, response);
  });
  onTestFinished(async () => {
    await service.close();
    grpc.forceShutdown();
    http.close();
    http.closeAllConnections();
  });
  return { url, callers };
}

describe("a2a with mutual TLS", () => {
  it("a2a presents the client certificate over JSON-RPC and gRPC, also from a file with both, and with a passphrase (A2ACLI_AUTH_009)", async () => {
    const { folder: cwd, server, client } = certificates();
    const { url, callers } = await agentFor(server);
    const send = ["send", "Hello", "-a", url, "--cacert", "ca.pem"];
    const pair = ["--cert", "ada.pem", "--key", "ada.key"];
    const state = { code: 0, json: { task: { status: { state: "TASK_STATE_COMPLETED" } } } };
    expect(await a2aJson([...send, ...pair], { cwd })).toMatchObject(state);
    expect(new Set(callers)).toEqual(new Set(["ada"]));
    // The gRPC server has another port, and therefore another origin.
    const { json } = await a2aJson(["card", "-a", url, "--cacert", "ca.pem", ...pair], { cwd });
    const [, { url: grpcUrl }] = json["supportedInterfaces"] as [object, { url: string }];
    const grpc = [...send, ...pair, "--transport", "GRPC"];
    expect(await a2aJson([...grpc, "--origin", grpcUrl], { cwd })).toMatchObject(state);
    expect((await a2a([...grpc, "--timeout", "1s"], { cwd })).code).not.toBe(0);
    writeFileSync(join(cwd, "both.pem"), client.cert + client.key);
    expect(await a2aJson([...send, "--cert", "both.pem"], { cwd })).toMatchObject(state);
    execFileSync(
      "openssl",
      ["ec", "-in", "ada.key", "-aes256", "-passout", "pass:s3cret", "-out", "locked.key"],
      {
        cwd,
        stdio: "pipe",
      },
    );
    const locked = [...send, "--cert", "ada.pem", "--key", "locked.key", "--debug"];
    const opened = await a2a(locked, { cwd, env: { A2ACLI_KEY_PASSPHRASE: "s3cret" } });
    expect([opened.code, opened.stderr.includes("s3cret")]).toEqual([0, false]);
    expect((await a2a(locked, { cwd })).stderr).toContain(
      "Set its passphrase in A2ACLI_KEY_PASSPHRASE",
    );
  });

  it("a2a says which option is missing if the connection fails, and ends with 3", async () => {
    const { folder: cwd, server } = certificates();
    const { url } = await agentFor(server);
    const unknown = await a2a(`card -a ${url}`, { cwd });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining("pass --cacert")]);
    const anonymous = await a2a(`card -a ${url} --cacert ca.pem`, { cwd });
    expect([anonymous.code, anonymous.stderr]).toEqual([
      3,
      expect.stringContaining("pass --cert and --key"),
    ]);
  });

  it("a2a only presents the certificate to the origin of the agent, and to the origins that the user has named", async () => {
    const { folder: cwd, server } = certificates();
    const { url, callers } = await agentFor(server);
    const listed = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const other = await agentWith((_request, response) => response.end(), {
      supportedInterfaces: listed,
    });
    const args = [
      "send",
      "Hello",
      "-a",
      other,
      "--cacert",
      "ca.pem",
      "--cert",
      "ada.pem",
      "--key",
      "ada.key",
    ];
    expect([(await a2a(args, { cwd })).code, callers]).toEqual([3, []]);
    expect((await a2a([...args, "--origin", url], { cwd })).code).toBe(0);
  });

  it("a2a refuses invalid certificates, invalid keys and the key of another certificate, and names the files", async () => {
    const { folder: cwd } = certificates();
    const refused = async (...args: string[]) => {
      const { code, stderr } = await a2a(["card", "-a", "https://agent.invalid", ...args], { cwd });
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("--cert", "nowhere.pem")).toContain(
      'the file "nowhere.pem" cannot be read',
    );
    expect(await refused("--cert", "ada.key")).toContain('"ada.key" contains no certificate');
    expect(await refused("--cert", "ada.pem")).toContain('"ada.pem" contains no private key');
    expect(await refused("--cert", "ada.pem", "--key", "ca.key")).toContain(
      "is not the key of the certificate",
    );
    expect(await refused("--key", "ada.key")).toContain("--key requires --cert");
  });

  it("a2a does not use the user's certificate for an agent that a file in the project names", async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, ".env"),
      "A2ACLI_AGENT_CARD=https://evil.example\nA2ACLI_CERT=/home/ada/ada.pem\n",
    );
    const { code, stderr } = await a2a("send hi", { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("sets A2ACLI_AGENT_CARD")]);
  });
});
