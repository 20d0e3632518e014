/** Suites that a change need not repeat: `.ci/run --all` runs them, and anyone can name one. */
const LEFT_OUT = [
  // Suites about the tools of this project: these guard no part of the service.
  '/test/(unit/scripts/|integration/scripts/(?!openapi))',
  '/test/architecture/rules\\b', // that planted violations are found; the rules themselves are steps of .ci/run
  '/test/integration/deployment/helm-chart\\b',
  // Measures and kills in many processes; what they guard has its rules in unit tests and one case in a suite of each change.
  '/test/integration/domains/rate-limiting/six-processes\\b',
  '/test/integration/watchlist/transfer/interrupted-import\\b',
  '/test/integration/extensions/extension-(tables|tasks)\\b',
  '/test/integration/process/(up|open-database|embedded-postgres|backup|backup-of-extensions)\\b',
  // Whole installations in situations that hardly any change can touch; the fault harness kills processes, databases and
  // queues on each change.
  '/test/e2e/process/(demo|operations|rolling-restart|secrets|upgrade|base-path\\.browser)\\b',
  '/test/integration/outages/',
  '/test/integration/process/(launcher|killed-(backups|database|operations|writes))\\b',
  // Each starts a dozen programs, for what the suites of commands and settings show in one.
  '/test/e2e/process/(readme|drain)\\b',
  '/test/integration/platform/log-lines\\b',
  '/test/integration/cli/(beside-a-service|extension-mistakes|start-problems)\\b',
  // sign-in.test.ts shows over HTTP the same path that this suite walks in a browser.
  '/test/e2e/auth/sign-in\\.browser\\b',
  '/test/integration/platform/outage-lines\\b',
];

/** Patterns of the suites to leave out: none with `ALL_CASES=1`, as `.ci/run --all` sets it, or when one is named. */
export function leftOutSuites() {
  const isNamed = process.argv.slice(2).some((word) => LEFT_OUT.some((suite) => new RegExp(suite).test(`/${word}/`)));
  return process.env.ALL_CASES === '1' || isNamed ? [] : LEFT_OUT;
}
