/** Suites about the tools of this project: what they guard is no part of the service. */
const SUITES = [
  '/test/unit/(bench|faults|scripts)/',
  '/test/integration/(bench|faults)/',
  '/test/integration/scripts/(corpus|public-api)\\.',
];

/** Patterns of the suites to leave out: none with `ALL_CASES=1`, as `.ci/run --all` sets it, or when one is named. */
export function toolSuites() {
  const isNamed = process.argv.slice(2).some((word) => SUITES.some((suite) => new RegExp(suite).test(`/${word}/`)));
  return process.env.ALL_CASES === '1' || isNamed ? [] : SUITES;
}
