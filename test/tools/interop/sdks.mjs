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
    ...python("1.3.0", "peer_1_0.py", { args: ["0.3"] }),
    name: "Python SDK 1.3.0 for 0.3",
    version: "0.3.0",
    model: "1.0",
    isStrict: true,
  },
  { ...python("0.3.26", "peer_0_3.py"), version: "0.3.0" },
  { ...go("2.4.0", "1.0"), version: "1.0" },
  { ...go("2.4.0", "0.3"), name: "Go SDK 2.4.0 for 0.3", version: "0.3.0", model: "1.0" },
  { ...rust("debug"), version: "1.0" },
  {
    ...java(["java", "javac", "mvn"], installJava),
    version: "0.3.0",
    isStrict: true,
  },
];

/**
 * The SDKs that `npm run bench -- --only sdks` measures, in the fastest set-up that they document.
 * `serves` contains the arguments of the program for each version of A2A, and `model` is the
 * version of the types. `omits` gives the reason why a version is missing.
 */
export const releases = [
  { ...go("2.4.0"), serves: { "1.0": ["1.0"], "0.3.0": ["0.3"] } },
  { ...rust("release"), serves: { "1.0": [] }, omits: "the SDK only serves 1.0" },
  {
    ...python("1.3.0", "peer_1_0.py", { packages: ["uvloop", "httptools"] }),
    serves: { "1.0": [], "0.3.0": ["0.3"] },
  },
  {
    ...java(["java", "mvn"], installJavaServer),
    serves: { "0.3.0": [] },
    omits: "the SDK only serves 0.3",
    model: "0.3.0",
  },
].map((sdk) => ({ model: "1.0", isRelease: true, ...sdk }));

function python(release, file, { args = [], packages: more = [] } = {}) {
  const packages = [`a2a-sdk[http-server,grpc]==${release}`, "uvicorn", ...more];
  const install = async (folder) => {
    const program = await installPython(folder, packages);
    return { program, args: ["-B", file, ...args], folder: join(sources, "python") };
  };
  return { language: "python", name: `Python SDK ${release}`, needs: ["python3"], install };
}

function go(release, ...args) {
  const modules = [`github.com/a2aproject/a2a-go/v2@v${release}`];
  const install = async (folder) => {
    const options = { cwd: folder, env: { ...process.env, GOFLAGS: "-mod=mod" } };
    await once(folder, modules.join(" "), async () => {
      await run("go", ["mod", "init", "peer"], options);
      await run("go", ["get", ...modules], options);
    });
    cpSync(join(sources, "go"), folder, { recursive: true });
    await run("go", ["build", "-o", "peer", "."], options);
    return { program: join(folder, "peer"), args, folder };
  };
  return { language: "go", name: `Go SDK ${release}`, needs: ["go"], install };
}

/** Builds the program for Rust; cargo itself keeps what has not changed. */
function rust(profile) {
  const install = async (folder) => {
    // With their times, so that cargo finds what has changed.
    cpSync(join(sources, "rust"), folder, { recursive: true, preserveTimestamps: true });
    const options = profile === "release" ? ["--release"] : [];
    await run("cargo", ["build", "--quiet", ...options], { cwd: folder });
    return { program: join(folder, "target", profile, "peer"), args: [], folder };
  };
  return { language: "rust", name: "Rust SDK 0.5.3", needs: ["cargo"], install };
}

function java(needs, install) {
  return { language: "java", name: "Java SDK 0.3.3.Final", needs, install };
}

/** Builds the agent for benchmarks on the reference server of the SDK. */
async function installJavaServer(folder) {
  const [main, bench] = [join(folder, "src", "main"), join(sources, "java", "bench")];
  for (const [from, to] of [
    [bench, join(main, "java")],
    [join(sources, "java", "Wire.java"), join(main, "java", "Wire.java")],
    [join(bench, "application.properties"), join(main, "resources", "application.properties")],
    [join(bench, "pom.xml"), join(folder, "pom.xml")],
  ])
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
  await run("mvn", ["-q", "-B", "package"], { cwd: folder });
  const program = join(folder, "target", "quarkus-app", "quarkus-run.jar");
  return { program: "java", args: ["-jar", program], folder };
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
