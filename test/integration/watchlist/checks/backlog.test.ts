import { expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { saying } from '../../../world/registry-faults.js';
import { runService } from '../run-service.js';

const NAMES = 180;
const ANSWER_MS = 330;
const MANY = 10_000;
const PEOPLE = 12;

const { running, call, query } = runService({ LEASE_SECONDS: '4' });

it('all names of a slow registry are checked, few of them twice, although this outlasts their locks', async () => {
  const names = Array.from({ length: NAMES }, (_, i) => `backlog-${i}.example`);
  // Eight connections and a third of a second each: about 24 names a second, of which a lease of 4 s sees 96.
  for (const name of names)
    running.registry.says(name, (reply) => setTimeout(() => saying(200, rdapRecord(name))(reply, name), ANSWER_MS));
  for (const domain of names) await call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
  const countChecked = async () => {
    const { rows } = await query<{ checked: number }>(
      'select count(facts_confirmed_at)::int as checked from watched_names',
    );
    return rows[0]?.checked ?? 0;
  };
  await eventually(countChecked, (count) => count === NAMES, 90_000);
  const queries = names.reduce((sum, name) => sum + running.registry.queries(name), 0);
  expect(queries).toBeLessThan(NAMES * 1.2);
}, 120_000);

it('a user’s check is answered within 5 seconds while 10 000 names wait for the same registry', async () => {
  running.registry.saysToEverything((reply, name) =>
    setTimeout(() => saying(200, rdapRecord(name))(reply, name), ANSWER_MS),
  );
  await copyRows('watched_names', {
    domain: `'due-' || n || '.example'`,
    next_check_at: `now() - interval '1 minute'`,
  });
  await copyRows('watch_entries', { id: `'wl_' || lpad(n::text, 26, '0')`, domain: `'due-' || n || '.example'` });
  const dueNames = () =>
    Promise.resolve(running.registry.arrivals.filter(({ name }) => name.startsWith('due-')).length);
  await eventually(dueNames, (asked) => asked > 0, 20_000);
  const check = async (domain: string) => {
    const began = performance.now();
    const { status } = await call({ path: `/v1/domains/check?domain=${domain}&max_age=0` });
    return { status, isSlow: performance.now() - began > 5_000 };
  };
  for (let person = 0; person < PEOPLE; person += 1) {
    const answers = await Promise.all([check(`person-${person}.example`), check('registered.test')]);
    expect(answers).toEqual(answers.map(() => ({ status: 200, isSlow: false })));
  }
  const before = await dueNames();
  expect(before).toBeLessThan(MANY); // people did not come after them
  await eventually(dueNames, (asked) => asked > before, 20_000);
}, 90_000);

/** Copies an existing row many times. */
async function copyRows(table: string, changed: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await query<{ columns: string }>(
    `select string_agg(format('%I', column_name), ', ') as columns from information_schema.columns
     where table_name = $1 and column_name <> all($2) and is_generated = 'NEVER'`,
    [table, Object.keys(changed)],
  );
  const [names, values] = [Object.keys(changed).join(), Object.values(changed).join()];
  const columns = rows[0]?.columns ?? '';
  await query(
    `insert into ${table} (${names}, ${columns})
     select ${values}, ${columns} from ${table}, generate_series(1, ${MANY}) n where domain = 'backlog-0.example'`,
  );
}
