import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The timeout of a suite that starts whole processes or a browser, or of the suite that it shares with another. */
const TIMEOUT = /(?:setTimeout\(|(?:STARTING|MINUTES) = )(\d+)_000\b/g;
const SHARED = /from '(\.\/[\w-]+-suite)\.js'/;

/**
 * The order of suites: those that take longest go first, so that the workers end together. Known from the sources, since
 * a clean checkout has no last run to learn from.
 */
export default class LongestFirst {
  sort(tests) {
    const expected = new Map(tests.map(({ path }) => [path, { timeout: timeoutOf(path), size: statSync(path).size }]));
    return [...tests].sort((one, other) => {
      const [a, b] = [expected.get(one.path), expected.get(other.path)];
      return b.timeout - a.timeout || b.size - a.size;
    });
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, i) => i % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}

function timeoutOf(path) {
  const text = readFileSync(path, 'utf8');
  const shared = SHARED.exec(text)?.[1];
  const suite = shared === undefined ? path : join(dirname(path), `${shared}.ts`);
  const texts = existsSync(suite) ? [text, readFileSync(suite, 'utf8')] : [text];
  return Math.max(0, ...texts.flatMap((each) => [...each.matchAll(TIMEOUT)].map(([, seconds]) => Number(seconds))));
}
