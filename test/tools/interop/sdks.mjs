import { cpSync, readFileSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPython, once, run } from "./install.mjs";

const sources = fileURLToPath(new URL("../../behaviour/interop/sdks/", import.meta.url));

/**
 * The SDKs. `name` is the name in tests and on the page, `version` the version of A2A. `install`
 * installs missing files into a folder and returns how to start the program. `isStrict` means that
 * the client uses 0.3 only if a card has no members of other versions, and `model` that the types
 * are of another version.
 */
export const sdks = [
  { ...python("1.3.0", "peer_1_0.py"), version: "1.0" },
  {
    ...python("1.3.0", "peer_1_0.py", "0.3"),
    name: "Python SDK 1.3.0 for 0.3",
    version: "0.3.0",
    model: "1.0",
    isStrict: true,
  },
  { ...python("0.3.26", "peer_0_3.py"), version: "0.3.0" },
  { ...go("2.4.0", "1.0"), name: "Go SDK 2.4.0", version: "1.0" },
  { ...go("2.4.0", "0.3"), name: "Go SDK 2.4.0 for 0.3", version: "0.3.0", model: "1.0" },
  {
    language: "rust",
    name: "Rust SDK 0.5.3",
    version: "1.0",
    needs: ["cargo"],
    install: installRust,
  },
  {
    language: "java",
    name: "Java SDK 0.3.3.Final",
    version: "0.3.0",
    isStrict: true,
    needs: ["java", "javac", "mvn"],
    install: installJava,
  },
];

function python(release, file, ...args) {
  const packages = [`a2a-sdk[http-server,grpc]==${release}`, "uvicorn"];
  const install = async (folder) => {
    const program = await installPython(folder, packages);
    return { program, args: ["-B", file, ...args], folder: join(sources, "python") };
  };
  return { language: "python", name: `Python SDK ${release}`, needs: ["python3"], install };
}

function go(release, version) {
  const modules = [`github.com/a2aproject/a2a-go/v2@v${release}`];
  const install = async (folder) => {
    const options = { cwd: folder, env: { ...process.env, GOFLAGS: "-mod=mod" } };
    await once(folder, modules.join(" "), async () => {
      await run("go", ["mod", "init", "peer"], options);
      await run("go", ["get", ...modules], options);
    });
    cpSync(join(sources, "go"), folder, { recursive: true });
    await run("go", ["build", "-o", "peer", "."], options);
    return { program: join(folder, "peer"), args: [version], folder };
  };
  return { language: "go", needs: ["go"], install };
}

/** Builds the program for Rust; cargo itself keeps what has not changed. */
async function installRust(folder) {
  cpSync(join(sources, "rust"), folder, { recursive: true });
  await run("cargo", ["build", "--quiet"], { cwd: folder });
  return { program: join(folder, "target", "debug", "peer"), args: [], folder };
}

async function installJava(folder) {
  const pom = join(sources, "java", "pom.xml");
  const options = { cwd: folder };
  await once(folder, readFileSync(pom, "utf8"), () =>
    run(
      "mvn",
      [
        "-q",
        "-B",
        "-f",
        pom,
        "dependency:copy-dependencies",
        `-DoutputDirectory=${join(folder, "jars")}`,
      ],
      options,
    ),
  );
  const path = [join(folder, "classes"), join(folder, "jars", "*")].join(delimiter);
  const all = readdirSync(join(sources, "java")).filter((file) => file.endsWith(".java"));
  const files = all.map((file) => join(sources, "java", file));
  await run("javac", ["-nowarn", "-d", join(folder, "classes"), "-cp", path, ...files], options);
  return { program: "java", args: ["-cp", path, "Peer"], folder };
}
