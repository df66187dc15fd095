/**
 * Returns an artificial proto with a number of messages, which refer to each other, and an enum for
 * every ten messages.
 */
export function madeUpProto(count: number): string {
  const enums = Math.max(1, Math.floor(count / 10));
  const messages = Array.from(
    { length: count },
    (_, index) => `
// Data about number ${index}.
message Record${index} {
  // The name that others use.
  string id = 1;
  int32 count = 2;
  repeated string tags = 3;
  Kind${index % enums} kind = 4;
  Record${(index * 7) % count} other = 5;
  repeated Record${(index * 3 + 1) % count} more = 6;
  map<string, double> weights = 7;
  oneof body {
    string text = 8;
    bytes raw = 9;
  }
}
`,
  );
  const kinds = Array.from(
    { length: enums },
    (_, index) => `
enum Kind${index} {
  KIND${index}_UNSPECIFIED = 0;
  KIND${index}_FIRST = 1;
}
`,
  );
  const service = "\nservice Records {\n  rpc GetRecord(Record0) returns (Record0);\n}\n";
  return ['syntax = "proto3";\n\npackage records.v1;\n', ...messages, ...kinds, service].join("");
}
