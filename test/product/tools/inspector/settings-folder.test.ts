import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSettingsFolder } from "../../../../tools/a2a/settings-folder.js";
import { Settings } from "../../../../tools/a2a/settings.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const own = join(userInfo().homedir, ".config", "a2a-cli");
const signal = new AbortController().signal;

describe("the folder with the settings of the user", () => {
  it.each<[Record<string, string>, string]>([
    [{ HOME: "/home/ada" }, "/home/ada/.config/a2a-cli"],
    [{ HOME: "/home/ada", XDG_CONFIG_HOME: "/etc/xdg" }, "/etc/xdg/a2a-cli"],
    [{ HOME: "/home/ada", XDG_CONFIG_HOME: "" }, "/home/ada/.config/a2a-cli"],
    [{ HOME: "/home/ada", XDG_CONFIG_HOME: "settings" }, "/home/ada/.config/a2a-cli"],
    [{ USERPROFILE: "/users/ada" }, "/users/ada/.config/a2a-cli"],
    [{}, own],
    [{ HOME: "" }, own],
    [{ HOME: "." }, own],
  ])("the folder never depends on the working directory: %j", (env, folder) => {
    expect(findSettingsFolder({ env })).toBe(folder);
  });

  it("a clone that contains settings does not receive the credentials of a user without HOME", () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, ".config", "a2a-cli"), { recursive: true });
    writeFileSync(
      join(cwd, ".config", "a2a-cli", ".env"),
      "A2ACLI_AGENT_CARD=https://evil.example\n",
    );
    for (const env of [{}, { XDG_CONFIG_HOME: "" }, { XDG_CONFIG_HOME: ".config" }])
      expect(new Settings({}, { cwd, env, signal }).text("agent-card")).not.toBe(
        "https://evil.example",
      );
  });
});

describe("the settings of a project", () => {
  it("a file above the root of the repository is not read", () => {
    const folder = temporaryFolder();
    const cwd = join(folder, "repository", "below");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(folder, ".env"), "A2ACLI_AGENT_CARD=https://evil.example\n");
    const agent = () =>
      new Settings({}, { cwd, env: { HOME: "/nonexistent" }, signal }).text("agent-card");
    expect(agent()).toBe("https://evil.example");
    mkdirSync(join(folder, "repository", ".git"));
    expect(agent()).toBeUndefined();
  });
});
