import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  connect,
  createAgent,
  jsonRpc,
  rest,
  Role,
  type AgentCard,
} from "../../../generated/1.0/index.js";
import { artifact, completed, taskService } from "../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { card } from "../../hostile/sample.js";
import { listen } from "../../support/http.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { codeBlocks, readDocument } from "./markdown.js";
import { freePort } from "../../support/free-port.js";

const blocks = codeBlocks(readDocument("docs/proxies.md"));

/**
 * Proxy of the page: its command, and its whole configuration around the part that the page shows.
 */
interface Proxy {
  readonly name: string;
  readonly file: string;
  readonly whole: (part: string, port: number, folder: string) => string;
  readonly args: (path: string, folder: string) => readonly string[];
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    file: "nginx-agent.conf",
    whole: (part, port, folder) => `
daemon off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  server {
    listen 127.0.0.1:${port};
    ${part}
  }
}
`,
    args: (path, folder) => ["-p", folder, "-c", path],
  },
  {
    name: "caddy",
    file: "Caddyfile",
    whole: (part, port) => `{\n  admin off\n}\nhttp://127.0.0.1:${port} {\n${part}\n}\n`,
    args: (path) => ["run", "--config", path, "--adapter", "caddyfile"],
  },
];

/**
 * Starts a proxy with the configuration of the page in front of an agent, and waits until it
 * responds.
 */
async function startProxy({ name, file, whole, args }: Proxy, port: number, agentAddress: string) {
  const part = blocks.find((block) => block.file === file)?.text;
  if (part === undefined) throw new Error(`docs/proxies.md has no block ${file}`);
  const folder = temporaryFolder();
  const path = join(folder, file);
  writeFileSync(path, whole(part.replaceAll("127.0.0.1:4000", agentAddress), port, folder));
  const env = { ...process.env, HOME: folder };
  const proxy = spawn(name, [...args(path, folder)], { cwd: folder, env, stdio: "ignore" });
  const ended = once(proxy, "exit");
  onTestFinished(async () => {
    proxy.kill();
    await ended;
  });
  await vi.waitFor(() =>
    fetch(`http://127.0.0.1:${port}/`).then((response) => response.arrayBuffer()),
  );
}

function isInstalled(name: string) {
  try {
    execFileSync(name, [name === "nginx" ? "-v" : "version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

for (const proxy of proxies) {
  const installed = isInstalled(proxy.name);
  if (!installed) console.log(`${proxy.name} is not installed, so its configuration is not tested`);
  describe.skipIf(!installed)(`the configuration for ${proxy.name}`, () => {
    it.each(["/agent", "/agent/"])(
      "an agent at %s sends each event at once over both transports",
      async (path) => {
        let handle: RequestListener = () => undefined;
        const agentUrl = await listen((request, response) => {
          handle(request, response);
        });
        const port = await freePort();
        const url = `http://127.0.0.1:${port}${path}`;
        let proceed = (): void => undefined;
        const service = taskService({
          async *run({ untilAborted }) {
            const mayProceed = new Promise<void>((resolve) => (proceed = resolve));
            const text = artifact("text.txt", "text/plain");
            yield text.text("first");
            await untilAborted(mayProceed);
            yield text.finish("second");
            return completed();
          },
        });
        handle = nodeListener(createAgent({ card: cardAt(url), service }));
        await startProxy(proxy, port, new URL(agentUrl).host);

        for (const transport of [jsonRpc(), rest()]) {
          const client = await connect(url, { transports: [transport] });
          const message = {
            messageId: crypto.randomUUID(),
            role: Role.User,
            parts: [{ text: "hello" }],
          };
          const texts: string[] = [];
          for await (const { artifactUpdate } of client.sendStreamingMessage({ message })) {
            texts.push(...(artifactUpdate?.artifact.parts.map(({ text = "" }) => text) ?? []));
            // The agent only continues after the caller has received the first part.
            if (artifactUpdate !== undefined) proceed();
          }
          expect(texts).toEqual(["first", "second"]);
          client.close();
        }
      },
    );
  });
}

function cardAt(url: string): AgentCard {
  const bindings = ["JSONRPC", "HTTP+JSON"];
  return {
    ...card,
    supportedInterfaces: bindings.map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: "1.0",
    })),
  };
}
