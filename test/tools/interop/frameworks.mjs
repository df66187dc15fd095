import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode, installPython } from "./install.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const clients = join(root, "test", "behaviour", "interop", "frameworks", "clients");

/**
 * Frameworks whose clients are tried. `name` is the name on the page, and `versions` lists the
 * versions of A2A that the client supports. `install` installs missing packages into a folder, and
 * returns how to start the program that uses the client.
 */
export const frameworks = [
  { ...node("adk", "@google/adk@2.0.0"), name: "ADK 2.0.0, JavaScript", versions: ["0.3"] },
  {
    ...python("adk", "google-adk[a2a]==2.13.0"),
    name: "ADK 2.13.0, Python",
    versions: ["1.0", "0.3"],
  },
  { ...mastra(), versions: ["1.0", "0.3"] },
  {
    ...node("strands", "@strands-agents/sdk@1.16.0", "@a2a-js/sdk@0.3.14"),
    name: "Strands 1.16.0, JavaScript",
    versions: ["0.3"],
  },
  {
    ...python("strands", "strands-agents[a2a]==1.62.0"),
    name: "Strands 1.62.0, Python",
    versions: ["0.3"],
  },
];

function node(language, ...packages) {
  const install = async (folder) => {
    await installNode(folder, packages);
    // Node finds packages next to the program that imports them.
    for (const file of [`${language}.mjs`, "play.mjs"])
      cpSync(join(clients, file), join(folder, file));
    return { program: process.execPath, args: [join(folder, `${language}.mjs`)], folder };
  };
  return { language, needs: ["npm"], install };
}

function python(language, ...packages) {
  const install = async (folder) => {
    const program = await installPython(folder, packages);
    return { program, args: ["-B", `${language}_client.py`], folder: clients };
  };
  return { language, needs: ["python3"], install };
}

/** Mastra is installed with the repository, because it also has a bridge. */
function mastra() {
  const manifest = join(root, "node_modules", "@mastra", "core", "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  const command = { program: process.execPath, args: ["mastra.mjs"], folder: clients };
  return { language: "mastra", name: `Mastra ${version}`, needs: [], install: () => command };
}
