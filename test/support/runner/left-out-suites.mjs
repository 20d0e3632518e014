/** What a change need not repeat: `.ci/run --all` runs them, and so does who names one. */
const LEFT_OUT = [
  // Suites about the tools of this project: what they guard is no part of the service.
  '/test/unit/(bench|faults|scripts)/',
  '/test/integration/(bench|faults)/',
  '/test/integration/scripts/(corpus|public-api|release)\\b',
  '/test/architecture/(lint|rules)\\b', // that planted violations are found; the rules themselves are steps of .ci/run
  // Whole installations in situations that hardly any change can touch; the fault harness kills processes, databases and
  // queues on each change.
  '/test/e2e/process/(backup-under-load|demo|operations|rolling-restart|secrets|upgrade|base-path\\.browser)\\b',
  '/test/integration/outages/',
  '/test/integration/process/(launcher|killed-(backups|database|operations|writes))\\b',
  // Each starts a dozen programs, for what the suites of commands and settings show in one.
  '/test/e2e/process/(readme|roles)\\b',
  '/test/integration/cli/(beside-a-service|extension-mistakes)\\b',
  // What it walks through in a browser, sign-in.test.ts shows over HTTP.
  '/test/e2e/auth/sign-in\\.browser\\b',
  '/test/integration/(platform/outage-lines|extensions/killed-process)\\b',
];

/** Patterns of the suites to leave out: none with `ALL_CASES=1`, as `.ci/run --all` sets it, or when one is named. */
export function leftOutSuites() {
  const isNamed = process.argv.slice(2).some((word) => LEFT_OUT.some((suite) => new RegExp(suite).test(`/${word}/`)));
  return process.env.ALL_CASES === '1' || isNamed ? [] : LEFT_OUT;
}
