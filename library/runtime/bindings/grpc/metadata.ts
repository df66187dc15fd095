import type { Metadata } from "@grpc/grpc-js";

/**
 * Returns a metadata entry as the value of a header; `undefined` if it is absent. Several values
 * are joined with commas, and binary values are base64.
 */
export function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name).map(text);
  return values.length === 0 ? undefined : values.join(", ");
}

function text(value: string | Buffer): string {
  return typeof value === "string" ? value : value.toString("base64");
}

/**
 * Adds the value of a header to metadata. The values of names that end with `-bin` are base64,
 * separated by commas.
 */
export function addText(metadata: Metadata, name: string, value: string): void {
  if (name.endsWith("-bin"))
    for (const each of value.split(",")) metadata.add(name, Buffer.from(each, "base64"));
  else metadata.add(name, value);
}

/** Returns metadata as headers, without the status of gRPC and names that HTTP does not allow. */
export function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of Object.keys(metadata.getMap()))
    if (!/^grpc-(?:status|message)$|:/.test(name)) headers.set(name, textOf(metadata, name) ?? "");
  return headers;
}
