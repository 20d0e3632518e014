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

describe('a check of a name', () => {
  const fresh = 'lookups_fresh';
  const found = ['entry_watches', fresh, 'lookups_save'];
  const absent = ['lookups_memory', 'registry_canary'];

  it('makes one SQL statement for a recently looked-up name, and under 25 for 50 concurrent checks', async () => {
    registry.holds('known.example');
    await check('known.example');
    expect(await statementsOf(() => check('known.example'))).toEqual([fresh]);
    const many = () => Promise.all(Array.from({ length: 50 }, () => check('known.example')));
    expect((await statementsOf(many)).length).toBeLessThan(25);
  });

  it('makes no SQL statement for the API key when the key is cached', async () => {
    registry.holds('known.example');
    await check('known.example');
    expect(await statementsDuring(() => check('known.example'), PERIODIC)).toEqual([fresh]);
  });

  it('makes three SQL statements for a new sandbox name, and one when checked again', async () => {
    expect(await statementsOf(() => check('registered.test'))).toEqual(found);
    expect(await statementsOf(() => check('registered.test'))).toEqual([fresh]);
  });

  it('makes three SQL statements when the registry has a record, and two with max_age=0', async () => {
    for (const domain of ['first.example', 'second.example', 'third.example']) {
      registry.holds(domain); // the first names are noted as canaries
      await check(domain);
    }
    registry.holds('live.example');
    expect(await statementsOf(() => check('live.example'))).toEqual(found);
    const again = await statementsOf(() => check('live.example', '&max_age=0'));
    expect(again).toEqual(found.filter((name) => name !== fresh));
  });

  it('makes under seven SQL statements on average with 100 concurrent lookups without a record', async () => {
    const hundred = () => Promise.all(Array.from({ length: 100 }, (_, i) => check(`crowd-${i}.example`)));
    const run = await statementsOf(hundred);
    expect(new Set(run)).toEqual(new Set([...found, ...absent, 'registry_canary_save']));
    expect(run.length).toBeLessThan(700);
  });
});
