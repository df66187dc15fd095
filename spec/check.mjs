// Proves that every bundled proto has exactly the interface of its published counterpart, where that is at hand:
// names, numbers, types, labels and options, in whatever order. `npm run spec:check [FOLDER]`.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const folder = dirname(fileURLToPath(import.meta.url));
const published = process.argv[2] ?? join(folder, "..", "..", "shared", "spec");
const pairs = [["1.0", "v1.0.1"]];

/** Every line says one fact of the interface; two equal sets of lines are one interface. */
function interfaceOf(file) {
  const root = new protobuf.Root();
  const parsed = protobuf.parse(readFileSync(file, "utf8"), root, { keepCase: true });
  const facts = [`package ${parsed.package}`, ...(parsed.imports ?? []).map((path) => `import ${path}`)];
  const add = (path, fact) => facts.push(`${path} ${JSON.stringify(fact)}`);
  const sorted = (object) => Object.entries(object ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const options = (object) => (object.parsedOptions ?? []).map((option) => JSON.stringify(option)).sort();
  const visit = (object) => {
    const path = object.fullName;
    if (object instanceof protobuf.Enum)
      add(path, ["enum", sorted(object.values), object.reserved ?? [], options(object), sorted(object.valuesOptions)]);
    else if (object instanceof protobuf.Service) {
      for (const method of object.methodsArray) {
        const { requestType, responseType, requestStream = false, responseStream = false } = method;
        add(method.fullName, ["rpc", requestType, responseType, requestStream, responseStream, options(method)]);
      }
    } else if (object instanceof protobuf.Type) {
      add(path, ["message", object.reserved ?? [], options(object)]);
      for (const field of object.fieldsArray) {
        const { id, type, repeated, keyType = "", partOf } = field;
        add(field.fullName, [
          "field",
          id,
          type,
          repeated,
          keyType,
          partOf?.name ?? "",
          field.options?.proto3_optional === true,
          options(field),
        ]);
      }
    } else add(path, ["namespace", options(object)]);
    for (const nested of object.nestedArray ?? []) visit(nested);
  };
  visit(root);
  return new Set(facts);
}

let wrong = 0;
for (const [id, name] of pairs) {
  const [ours, theirs] = [join(folder, id, "a2a.proto"), join(published, name, "a2a.proto")];
  if (!existsSync(theirs)) {
    console.log(
      `spec/${id}/a2a.proto: not compared, the published ${name} is not at ${relative(process.cwd(), theirs)}`,
    );
    continue;
  }
  const [a, b] = [interfaceOf(ours), interfaceOf(theirs)];
  const extra = [...a].filter((fact) => !b.has(fact)).map((fact) => `  only in ours:      ${fact}`);
  const lacking = [...b].filter((fact) => !a.has(fact)).map((fact) => `  only in published: ${fact}`);
  const differences = [...extra, ...lacking];
  wrong += differences.length;
  console.log(
    `spec/${id}/a2a.proto: ${differences.length === 0 ? `the interface of ${name}, ${a.size} facts` : "differs"}`,
  );
  for (const line of differences) console.log(line);
}
process.exitCode = wrong > 0 ? 1 : 0;
