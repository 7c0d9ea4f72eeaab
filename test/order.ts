/**
 * Which test file comes first. The longest start first, so that none of them runs alone at the end; those that share
 * processes come in one row after that, because a process is kept only for the next of its kind.
 */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By what they took; the rest goes by what the last run on this machine took. */
const LONGEST: readonly RegExp[] = [/^test\/crash\/.*sweep/, /^test\/kill\//, /^test\/replay\/deaths/];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => this.#rank(left) - this.#rank(right));
  }

  #rank({ moduleId, project }: TestSpecification): number {
    const at = LONGEST.findIndex((pattern) => pattern.test(relative(this.ctx.config.root, moduleId)));
    if (at >= 0) return at;
    return LONGEST.length + (project.config.isolate ? 0 : 1);
  }
}
