import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the files named `*.full.test.ts` first, most of which wait for other processes. Without
 * results of earlier runs, Vitest starts with the largest files. Many of the slowest are small, and
 * would run alone at the end.
 */
export class FullFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number =>
      moduleId.endsWith(".full.test.ts") ? 0 : 1;
    // Workers restart between projects.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted
        .filter((file) => file.project === project)
        .toSorted((one, other) => rank(one) - rank(other)),
    );
  }
}
