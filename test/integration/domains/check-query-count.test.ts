import { beforeAll, describe, expect, it } from '@jest/globals';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { FakeRegistry } from '../../world/registry.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';
import { statementsDuring } from '../../support/database/statements.js';

/** Periodic statements; the row of an operator without a rate limit is read once a second. */
const PERIODIC = /^(clock_|lookups_prune|rate_limit_windows_|registry_(?!canary)|select 1$)/;
const registry = running(() => FakeRegistry.start());
const service = running(() =>
  startTestService({
    ROLE: 'api',
    LOOKUP_BUDGETS_FILE: budgetsFile({ default: { per_second: 0, burst: 100, concurrency: 100 } }),
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  }),
);
beforeAll(() => check('first.example')); // opens the connections

const check = async (domain: string, more = '') => {
  const answer = await service.call({ path: `/v1/domains/check?domain=${domain}${more}` });
  expect(answer.status).toBe(200);
};
/** Leaves out the statements for the API key, which one request per second makes. */
const statementsOf = async (work: () => Promise<unknown>) =>
  (await statementsDuring(work, PERIODIC)).filter((statement) => !/key/.test(statement)).sort();

describe('the number of SQL statements of a check', () => {
  const fresh = 'lookups_fresh';
  const found = ['entry_watches', fresh, 'lookups_save'];
  const absent = ['lookups_memory', 'registry_canary'];

  it('is one when the account has a fresh lookup, also for many names in one request', async () => {
    registry.holds('known.example');
    await check('known.example');
    expect(await statementsOf(() => check('known.example'))).toEqual([fresh]);
    const many = () => Promise.all(Array.from({ length: 50 }, () => check('known.example')));
    expect((await statementsOf(many)).length).toBeLessThan(25);
  });

  it('is one when the API key is cached', async () => {
    registry.holds('known.example');
    await check('known.example');
    expect(await statementsDuring(() => check('known.example'), PERIODIC)).toEqual([fresh]);
  });

  it('is three for a sandbox name, which has no rate limit', async () => {
    expect(await statementsOf(() => check('registered.test'))).toEqual(found);
    expect(await statementsOf(() => check('registered.test'))).toEqual([fresh]);
  });

  it('is three for a live lookup that finds a record, plus one for the rate limit', async () => {
    for (const domain of ['first.example', 'second.example', 'third.example']) {
      registry.holds(domain); // the first names are noted as canaries
      await check(domain);
    }
    registry.holds('live.example');
    expect(await statementsOf(() => check('live.example'))).toEqual(found);
    const again = await statementsOf(() => check('live.example', '&max_age=0'));
    expect(again).toEqual(found.filter((name) => name !== fresh));
  });

  it('is at most seven for concurrent lookups that find no record, whatever their number', async () => {
    const hundred = () => Promise.all(Array.from({ length: 100 }, (_, i) => check(`crowd-${i}.example`)));
    const run = await statementsOf(hundred);
    expect(new Set(run)).toEqual(new Set([...found, ...absent, 'registry_canary_save']));
    expect(run.length).toBeLessThan(700);
  });
});
