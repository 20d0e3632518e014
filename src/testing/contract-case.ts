/**
 * One case of a contract suite. Every test runner takes them: `for (const { name, run } of cases) test(name, run)`.
 * `run` rejects with what is wrong.
 */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}
