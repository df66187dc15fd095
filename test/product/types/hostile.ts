/**
 * Text that would break out of a comment, a string or a template, if anything were pasted without
 * care.
 */
export const hostileText =
  "*/ process.exit(1); /* `backticks` ${dollar} \"double\" 'single' {{braces}} {{{triple}}} {{#each}} \\ \\u002a/ <b>é€😀\u2028\u2029 @see {@link";

/**
 * The lines of a comment with hostile text; block comments of a proto cannot hold their own end.
 */
const line = `// ${hostileText}`;
const names = [
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "then",
  "class",
  "default",
  "await",
];
const fields = (kind: string, from: number) =>
  names.map((name, index) => `  ${line}\n  ${kind} ${name} = ${from + index}; ${line}`);

/** A proto whose comments and names try to break the output. */
export const hostileProto = `syntax = "proto3";
package hostile;
import "google/protobuf/struct.proto";

${line}
service Evil {
  ${line}
  rpc Go(Names) returns (Names) {
    option (google.api.http) = { get: "/a\`$*/'b\\"" };
  }
  ${line}
  rpc Come(Strings) returns (stream Choice);
}

${line}
message Names {
${fields("string", 1).join("\n")}
}

message Needed {
${fields("string", 1)
  .map((text) => text.replace("; //", " [(google.api.field_behavior) = REQUIRED]; //"))
  .join("\n")}
}

message Lists {
${fields("repeated int32", 1).join("\n")}
}

message Choice {
  ${line}
  oneof constructor {
${fields("string", 1)
  .join("\n")
  .replaceAll(
    /\b(?=(?:constructor|toString|valueOf|hasOwnProperty|isPrototypeOf|then|class|default|await) =)/g,
    "a_",
  )}
  }
  oneof toString { Names names = 31; Choice choice = 32; }
}

message Strings {
  string a = 1 [json_name = "a\\"b"];
  string b = 2 [json_name = "back\\\\slash"];
  string c = 3 [json_name = "\`\${c}\`"];
  string d = 4 [json_name = "*/ d"];
  string e = 5 [json_name = ""];
  string f = 6 [json_name = "line\\nbreak"];
  string g = 7 [json_name = "{{g}}"];
  string h = 8 [json_name = "é\u2028😀"];
  string i = 9 [json_name = "'single'"];
  string j = 10 [json_name = "0"];
  string k = 11 [json_name = "with space"];
  string l = 12 [json_name = "@type"];
  map<string, string> m = 13 [json_name = "\\\\"];
}

${line}
enum Kind {
  ${line}
  KIND_UNSPECIFIED = 0; ${line}
  KIND_CONSTRUCTOR = 1;
  KIND_TO_STRING = 2;
  KIND_CLASS = 3 [deprecated = true];
}

enum Bare { zero = 0; constructor = 1; toString = 2; class = 3; }

message Uses { Kind kind = 1; Bare bare = 2; map<string, Bare> constructor = 3; }
`;
