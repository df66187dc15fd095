import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFileRegistry, fromBinary, type FileRegistry } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { packageFolder } from "../../support/package-folder.js";
import { readImports, type SpecSource } from "../../generator/input/source.js";
import { outFolder } from "../support/output.js";

const head = 'syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";';

/** As much of the options of `google.api` as protos of tests use. */
const options: Readonly<Record<string, string>> = {
  annotations: `${head}
message Rule {
  string get = 2; string put = 3; string post = 4; string delete = 5; string patch = 6;
  string body = 7; string response_body = 12; repeated Rule additional_bindings = 11;
}
extend google.protobuf.MethodOptions { Rule http = 72295728; }`,
  client: `${head}
extend google.protobuf.MethodOptions { repeated string method_signature = 1051; }`,
  field_behavior: `${head}
enum Behavior { UNSET = 0; OPTIONAL = 1; REQUIRED = 2; OUTPUT_ONLY = 3; }
extend google.protobuf.FieldOptions { repeated Behavior field_behavior = 1052; }`,
};

/**
 * Returns the messages of a specification from protobuf-es. The proto is compiled by buf, which
 * works offline. Throws if buf refuses it. `messages` receives the output of buf.
 */
export function reflect(
  name: string,
  source: SpecSource,
  messages: "inherit" | "ignore" = "inherit",
): FileRegistry {
  const folder = join(outFolder, "reflection", name);
  writeModule(folder, source);
  const buf = join(packageFolder, "node_modules", ".bin", "buf");
  execFileSync(buf, ["build", "-o", "image.binpb"], {
    cwd: folder,
    stdio: ["ignore", "ignore", messages],
  });
  return createFileRegistry(
    fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "image.binpb"))),
  );
}

/**
 * Writes the proto of a specification, as `main.proto`, and what it imports into a folder that buf
 * understands.
 */
export function writeModule(folder: string, source: SpecSource): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("buf.yaml", "version: v2\n");
  for (const [file, text] of Object.entries(options)) write(`google/api/${file}.proto`, text);
  write("main.proto", source.proto?.text ?? "");
  for (const path of importsOf(source)) write(path, source.readImport(path)?.text ?? "");
}

function importsOf(source: SpecSource) {
  const texts = [source.proto?.text ?? "", ...readImports(source).map(({ text }) => text)];
  const paths = texts.flatMap((text) =>
    [...text.matchAll(/\bimport\s+"([^"]+)"/g)].map(([, path = ""]) => path),
  );
  return paths.filter((path) => source.readImport(path) !== undefined);
}
