import js from "@eslint/js";
import { globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default tseslint.config(
  globalIgnores([
    // These outputs come from the same templates as the outputs of the versions in use.
    "generated/{0.4-draft,1.1-draft}/",
    "**/dist/",
    "node_modules/",
    ".demo/",
    "coverage/",
    "test/fixtures/",
    "build/.out/",
    "test/.out/",
    "bench/.out/",
  ]),
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // To name the projects takes less time than to have them found for each file.
    languageOptions: {
      parserOptions: {
        project: [
          "tsconfig.json",
          "tools/inspector/page/tsconfig.json",
          "examples/browser/tsconfig.json",
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/dot-notation": "off",
      "@typescript-eslint/consistent-indexed-object-style": "off",
      // Declarations can be made of each file on its own if parameters say their types.
      "@typescript-eslint/no-inferrable-types": ["error", { ignoreParameters: true }],
    },
  },
  {
    // What users get keeps to the strict rules with their default options; our own code may be
    // shorter.
    files: ["**/*.ts"],
    ignores: ["library/**", "generated/**"],
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/no-invalid-void-type": ["error", { allowAsThisParameter: true }],
    },
  },
  {
    // Checks go through lists by index, which is faster than by iterator.
    files: ["library/runtime/{base/json,schema/predicates}.ts"],
    rules: { "@typescript-eslint/prefer-for-of": "off" },
  },
  {
    // Tests write async functions without await where a service or a body has to be asynchronous.
    files: ["test/**/*.ts"],
    rules: { "@typescript-eslint/require-await": "off" },
  },
  {
    // This fixture tests that deprecated names compile. The others run with two versions of the AI
    // SDK, and the newer version has deprecated names of the older one.
    files: ["test/product/types/old-names.ts", "test/product/bridges/ai-sdk/**"],
    rules: { "@typescript-eslint/no-deprecated": "off" },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        performance: "readonly",
        fetch: "readonly",
        AbortController: "readonly",
      },
    },
  },
);
