import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { redisForTests } from '../servers/redis-server.mjs';

const TESTS = join(import.meta.dirname, '../..');

/** Folders whose suites run in groups, and how many groups they make: each takes a worker about half a minute. */
const FOLDERS = {
  unit: 2,
  'integration/domains': 3,
  'integration/notifications': 5,
  'integration/platform': 1,
  'integration/watchlist': 4,
  e2e: 4,
};

/** Suites that stay alone: they start processes, which gain nothing by a group, or measure their own process. */
const ALONE =
  /(^e2e\/(demo|drain|operations|readme|roles|secrets|shared-budget)|\/(hostile-answers|no-contacts|check-cost|faulty-registries))\b/;

/**
 * Every suite loads its modules anew, which takes longer than most take to run. Suites of a group load them once, one
 * group in one worker; each still starts a service and a database of its own. They may rely on nothing that another
 * left in a module, and a file that is named on the command line runs alone.
 * @returns for each group its suites, as paths under test
 */
export function suiteGroups() {
  return Object.fromEntries(
    Object.entries(FOLDERS).flatMap(([folder, count]) => {
      const suites = suitesIn(folder);
      return Array.from({ length: count }, (_, part) => [
        `${folder.split('/').at(-1)}-${part + 1}`,
        suites.filter((_suite, place) => place % count === part),
      ]);
    }),
  );
}

function suitesIn(folder) {
  return readdirSync(join(TESTS, folder), { recursive: true })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !ALONE.test(path))
    .filter((path) => !path.endsWith('.redis.test.ts') || redisForTests() !== null)
    .sort();
}
