import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import { beforeAll, describe, expect, it } from "vitest";
import { searchOptions } from "../../../build/site/theme/search.mjs";

/** Defines the tests of the search of the site in a folder. */
export function describeSearch(folder: string): void {
  describe("the search of the site", () => {
    let index: MiniSearch;

    beforeAll(async () => {
      const chunks = join(folder, "assets", "chunks");
      const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
      const { default: json } = (await import(
        pathToFileURL(join(chunks, file ?? "no index")).href
      )) as { default: string };
      const fields = ["title", "titles", "text"];
      index = MiniSearch.loadJSON(json, {
        fields,
        storeFields: ["title", "titles"],
        searchOptions,
      });
    });

    it.each([
      ["how do I cancel", "/tasks.html#cancel"],
      ["cancel a task", "/tasks.html#cancel"],
      ["deploy on kubernetes", "/deployment.html#kubernetes"],
      ["how to deploy", "/deployment.html#deployment"],
      ["upload a file", "/client.html#files"],
      ["protect with OAuth", "/authentication.html#authentication"],
      ["next.js", "/next.html#nextjs"],
      ["nextjs", "/next.html#nextjs"],
      ["test my agent", "/testing.html#testing"],
      ["resume after a crash", "/tasks.html#crashes"],
      ["use langgraph", "/langgraph.html#langgraph"],
      ["langgraph", "/langgraph.html#langgraph"],
      ["which errors does sendMessage throw", "/client.html#errors"],
      ["call an old agent", "/versions.html#a-client-for-agents-of-every-version"],
      ["docker", "/containers.html#containers"],
      ["webhooks", "/push.html#push-notifications"],
      ["install", "/getting-started.html#getting-started"],
      ["cors", "/server.html#pages-of-other-origins"],
      ["CancelTask", "/reference/1.0/operations.html#canceltask"],
      ["options of remoteAgent", "/reference/api/kit-client.html#remoteagent"],
      ["options of taskService", "/reference/api/kit.html#taskservice"],
      ["ConnectOptions", "/reference/api/agents-and-clients.html#connectoptions"],
      ["signCard", "/reference/api/kit.html#signcard"],
      ["what does playTurn return", "/reference/api/testing.html#playturn"],
    ])("the first result for %j is %s", (question, page) => {
      expect(index.search(question)[0]?.id).toBe(page);
    });

    it("words that say nothing find nothing, and short words find themselves only", () => {
      expect(index.search("how do I with the in my a")).toEqual([]);
      const found = new Set(index.search("js").flatMap(({ terms }) => terms));
      expect([...found]).toEqual(["js"]);
    });
  });
}
