/** A proto of many messages that refer to one another, with everything that costs time. */
export function largeProto(messages: number): string {
  const fields = (index: number): string[] => [
    `  // The id of M${index}.`,
    "  string id = 1 [(google.api.field_behavior) = REQUIRED];",
    "  repeated string tags = 2;",
    "  optional int64 size = 3;",
    `  map<string, M${(index * 7 + 1) % messages}> by_name = 4;`,
    `  repeated M${(index + 1) % messages} next = 5;`,
    `  oneof content { string text = 6; bytes raw = 7; M${(index * 3 + 2) % messages} other = 8; }`,
    "  google.protobuf.Struct metadata = 9;",
  ];
  const declared = Array.from({ length: messages }, (_, index) => [
    `// Message number ${index}.`,
    `message M${index} {`,
    ...fields(index),
    "}",
  ]);
  const rpcs = Array.from(
    { length: 20 },
    (_, index) => `  rpc Do${index}Thing(M${index}) returns (stream M${index + 1});`,
  );
  const head = ['syntax = "proto3";', "package large;", 'import "google/protobuf/struct.proto";'];
  return [...head, "service Large {", ...rpcs, "}", ...declared.flat(), ""].join("\n");
}
