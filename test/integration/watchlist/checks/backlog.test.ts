import { expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { saying } from '../../../support/fakes/registry-faults.js';
import { runService } from '../run-service.js';

const NAMES = 180;

const { running, call, query } = runService({ LEASE_SECONDS: '4' });

it('checks all names where a slow registry cannot answer them in one lease, hardly any twice', async () => {
  const names = Array.from({ length: NAMES }, (_, i) => `backlog-${i}.example`);
  // Eight connections and a third of a second each: about 24 names a second, of which a lease of 4 s sees 96.
  for (const name of names)
    running.registry.says(name, (reply) => setTimeout(() => saying(200, rdapRecord(name))(reply, name), 330));
  for (const domain of names) await call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
  const countChecked = async () => {
    const { rows } = await query<{ checked: number }>(
      'select count(facts_confirmed_at)::int as checked from watched_names',
    );
    return rows[0]?.checked ?? 0;
  };
  await eventually(countChecked, (count) => count === NAMES, 25_000);
  const queries = names.reduce((sum, name) => sum + running.registry.queries(name), 0);
  expect(queries).toBeLessThan(NAMES * 1.2);
}, 40_000);
