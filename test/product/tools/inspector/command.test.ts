import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { portOf } from "../../../support/ports.js";
import { Project } from "../../cli/command.js";

describe("a2a-codegen inspect", () => {
  it.each([
    [["inspect", "no url"], '"no url" is not a URL. Use a URL such as http://127.0.0.1:4000.'],
    [
      ["inspect", "ftp://a.example"],
      '"ftp://a.example" is not a URL. Use a URL such as http://127.0.0.1:4000.',
    ],
    [
      ["inspect", "--allow", "https://a.example,::"],
      '"::" is not a URL. Use a URL such as http://127.0.0.1:4000.',
    ],
    [["inspect", "--port", "65536"], '--port cannot be "65536". Use a number from 0 to 65535.'],
    [["inspect", "--port", "four"], '--port must be a number, got "four". Write digits.'],
  ])("the command refuses the arguments %j with a hint", async (args, message) => {
    const stderr = await new Project().refusal(args);
    expect(stderr.trim()).toBe(message);
  });

  it("the command names the port if another process uses it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const port = portOf(server);
    const stderr = await new Project().refusal("inspect --port", String(port));
    expect(stderr.trim()).toBe(`port ${port} is in use. Choose another port, or leave --port out.`);
  });

  it("the command prints the URL with its token, serves the page, and ends with code 0 when it is interrupted", async () => {
    const child = new Project().start("inspect localhost:4000 --allow https://a.example --no-open");
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      printed += chunk.toString();
      if (printed.includes("Ctrl+C")) break;
    }
    const [, url = ""] =
      /^Inspector: (http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/)#url=http%3A%2F%2Flocalhost%3A4000\n/.exec(
        printed,
      ) ?? [];
    expect(await (await fetch(url)).text()).toContain("<title>A2A inspector</title>");
    const config = (await (await fetch(`${url}config`)).json()) as { readonly origins: string[] };
    expect(config.origins).toEqual(["http://127.0.0.1:4000", "https://a.example"]);
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(0);
  });
});
