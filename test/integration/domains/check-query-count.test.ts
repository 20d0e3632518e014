import { beforeAll, describe, expect, it } from '@jest/globals';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';
import { statementsDuring } from '../../support/database/statements.js';

/** Periodic statements; the row of an operator without a rate limit is read once a second. */
const PERIODIC =
  /^(clock_|lookups_changes|lookups_prune|lookups_renew|rate_limit_windows_|registry_(?!canaries)|select 1$)/;
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

/** The brake of the operator and the last canary, which hold for all answers that a name is available. */
const TRUST = ['drop_brakes_held_of', 'registry_canaries_last'];
/** Ask, where DNS gives no answer, whether a check or the watch has heard earlier that the name is delegated. */
const VETO = ['lookups_delegated', 'names_vetoed'];

describe('the number of SQL statements of a check', () => {
  it('is zero for a cached name that is registered', async () => {
    registry.holds('known.example');
    await check('known.example');
    const many = () => Promise.all(Array.from({ length: 50 }, () => check('known.example')));
    expect(await statementsOf(many)).toEqual([]);
  });

  it('is zero with a cached key as well', async () => {
    registry.holds('known.example');
    await check('known.example');
    expect(await statementsDuring(() => check('known.example'), PERIODIC)).toEqual([]);
  });

  it('is two for a cached name that is available: whether its registry is believed', async () => {
    await check('free.example');
    expect(await statementsOf(() => check('free.example'))).toEqual(TRUST);
    const many = () => Promise.all(Array.from({ length: 50 }, () => check('free.example')));
    expect((await statementsOf(many)).length).toBeLessThan(50);
  });

  const live = ['lookups_acquire', 'lookups_publish', 'names_watched'];

  it('is that of any other name for a sandbox name', async () => {
    expect(await statementsOf(() => check('registered.test'))).toEqual(live);
    expect(await statementsOf(() => check('registered.test'))).toEqual([]);
  });

  it.each(['', '&max_age=0'])('is three for a live lookup: %s', async (more) => {
    registry.holds(`live${more.length}.example`);
    expect(await statementsOf(() => check(`live${more.length}.example`, more))).toEqual(live);
  });

  it('grows far slower than the number of checks', async () => {
    const hundred = () => Promise.all(Array.from({ length: 100 }, (_, i) => check(`crowd-${i}.example`)));
    const run = await statementsOf(hundred);
    expect(new Set(run)).toEqual(new Set([...live, ...TRUST, ...VETO]));
    expect(run.length).toBeLessThan(200);
    // Each of them is run for several checks at a time.
    for (const same of Map.groupBy(run, (name) => name).values()) expect(same.length).toBeLessThan(60);
  });
});
