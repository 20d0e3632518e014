import type { ContractCase } from '../../src/testing.js';

/** The names of the cases that find something wrong, in order. */
export async function failingCases(cases: readonly ContractCase[]): Promise<string[]> {
  const failing: string[] = [];
  for (const { name, run } of cases) {
    const failed = await run().then(
      () => false,
      () => true,
    );
    if (failed) failing.push(name);
  }
  return failing;
}
