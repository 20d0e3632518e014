import pg from 'pg';
import { withCleanup } from '../cleanup.js';
import { compare } from '../comparison.js';
import { type LongList, startLongList } from '../long-list.js';
import type { Suite } from '../suite.js';

const ENTRIES = 10_000;
const LAST = '/v1/watchlist?page=500';

/** The last page of a long list, against the first one of the same list: OFFSET walks past what it skips. */
export const suite: Suite = {
  name: 'pages',
  about: `page 500 of an account of ${ENTRIES} entries against page 1; the ratio is of answers a second`,
  measure: withCleanup(async (plan, closing) => {
    const list = await startLongList(closing, ENTRIES);
    await prepare(list);
    const { address, headers } = list;
    const figure = await compare(
      {
        what: 'page 500',
        ours: { url: `${address}${LAST}`, headers },
        baseline: { url: `${address}/v1/watchlist?page=1`, headers },
        close: () => Promise.resolve(),
      },
      plan,
    );
    return [figure];
  }),
};

async function prepare({ address, headers, databaseUrl }: LongList): Promise<void> {
  const page = (await (await fetch(`${address}${LAST}`, { headers })).json()) as { data: object[] };
  if (page.data.length !== 20) throw new Error(`the last page has ${page.data.length} entries`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum (analyze)'); // as autovacuum would have done by then
  await client.end();
}
