import {
  addNotificationChannel,
  addToWatchlist,
  type AddWatchBody,
  checkDomains,
  type Client,
  getWatchlistChanges,
  issueKey,
  listNotificationChannels,
  listWatchlist,
  testNotificationChannel,
} from '../../../clients/typescript/src/index.js';
import { eventually } from '../../../test/support/eventually.js';
import { agencyNames } from './agency.js';
import { MOVING, type Stage, WATCHED } from './stage.js';

const TIMEOUT_MS = 30_000;

/** Gives an account a past: checked names, channels that received something, and keys. */
export async function fillAccount(client: Client, { receiver }: Stage): Promise<void> {
  const throwOnError = true;
  for (const body of [
    {
      type: 'webhook',
      label: 'Shop system',
      target: receiver.url('/namewatch'),
      event_types: ['watchlist.status_changed'],
    },
    {
      type: 'webhook',
      format: 'slack',
      label: 'Brand team',
      target: 'https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx',
      tags: ['brand'],
    },
    { type: 'email', label: 'Domains desk', target: 'domains@harbour.example' },
  ] as const)
    await addNotificationChannel({ client, throwOnError, body: { ...body } as never });
  for (const { domain, client: tag, purpose } of agencyNames())
    await addToWatchlist({ client, throwOnError, body: { domain, purpose, tags: [tag] } });
  for (const body of WATCHED)
    await addToWatchlist({
      client,
      throwOnError,
      body: { ...(body as unknown as AddWatchBody), notify_current: true },
    });
  for (const [name, scopes] of [
    ['deploy', ['domains:read', 'watchlist:read', 'watchlist:write']],
    ['status page', ['watchlist:read']],
  ] as const)
    await issueKey({ client, throwOnError, body: { name, scopes: [...scopes] } });
  const domains = ['one', 'two', 'three', 'four', 'five', 'six'].map((label) => `${label}.dev`);
  await checkDomains({ client, throwOnError, body: { domains } }); // the registry of .dev is down
  const { data } = await listNotificationChannels({ client, throwOnError });
  for (const { id } of data.data.slice(0, 1)) await testNotificationChannel({ client, throwOnError, path: { id } });
  await eventually(
    async () => (await listWatchlist({ client, throwOnError, query: { answered: false } })).data.meta.total,
    (unanswered) => unanswered <= 3,
    TIMEOUT_MS,
  );
  await waitForRecordChange(client, MOVING);
}

/** Waits until a name has a confirmed change of its record. */
async function waitForRecordChange(client: Client, domain: string): Promise<void> {
  const throwOnError = true;
  const { data: entries } = await listWatchlist({ client, throwOnError, query: { domain } });
  for (const { id } of entries.data)
    await eventually(
      async () => (await getWatchlistChanges({ client, throwOnError, path: { id } })).data,
      ({ data }) => data.length > 0,
      2 * TIMEOUT_MS,
    );
}
