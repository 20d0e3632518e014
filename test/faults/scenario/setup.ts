import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../clients/api-client.js';
import type { WatchedEntry } from '../results/final-state.js';
import { INTERVAL_MINUTES } from '../cluster/settings.js';
import type { Cluster } from '../cluster/cluster.js';

/** No fault is injected yet. */
const TIMEOUT_MS = 20_000;

const FIRST_CHECKS_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

const MAILED = 'mailed';
/** Every so many names. A short run mails each event on its own; a longer run makes digests too. */
const MAILED_EVERY = 13;
/** The purpose of each account: the first one gets changes of records on every channel, the other one on its own channel. */
const PURPOSES = ['own', 'monitor'] as const;

/** The channels of each account, with their filters. */
const CHANNELS = [
  { kind: 'steady', type: 'webhook' },
  { kind: 'moody', type: 'webhook' },
  { kind: 'drops', type: 'webhook', event_types: ['watchlist.available'] },
  { kind: 'mail', type: 'email', tags: [MAILED] },
  { kind: 'records', type: 'webhook', event_types: ['watchlist.record_changed'] },
] as const;

/** Channel labels by id, and the entries as the API answered them. */
export interface AccountSetup {
  readonly channelLabels: ReadonlyMap<string, string>;
  readonly watchedEntries: readonly WatchedEntry[];
}

/** Creates each account's channels, then adds every name to each account's watchlist, and waits for its first check. */
export async function setUpAccounts(
  cluster: Cluster,
  clients: readonly ApiClient[],
  names: readonly string[],
): Promise<AccountSetup> {
  const standing = new Map<string, string>();
  for (const [i, client] of clients.entries())
    for (const { kind, ...settings } of CHANNELS) {
      const label = `${kind}-${i + 1}`;
      const isMail = settings.type === 'email';
      const target = isMail ? cluster.mailServer.address(label) : cluster.receivers.url(label);
      const { id, secret } = await create(client, '/v1/notifications', { ...settings, target });
      if (!isMail) cluster.receivers.setSecret(label, String(secret));
      standing.set(String(id), label);
    }
  const watches: WatchedEntry[] = [];
  for (const [account, client] of clients.entries())
    for (const [i, domain] of names.entries()) {
      const tags = i % MAILED_EVERY === 0 ? [MAILED] : [];
      const body = {
        domain,
        interval_minutes: INTERVAL_MINUTES,
        tags,
        purpose: PURPOSES[account],
        notify_current: true,
      };
      const { id, status } = await create(client, '/v1/watchlist', body);
      watches.push({ id: String(id), domain, status: String(status), account });
    }
  await awaitFirstChecks(cluster);
  return { channelLabels: standing, watchedEntries: watches };
}

/** A change before the first check of its name would be discovered, not observed. */
async function awaitFirstChecks({ postgres }: Cluster): Promise<void> {
  const until = Date.now() + FIRST_CHECKS_TIMEOUT_MS;
  for (;;) {
    const unchecked = await postgres.query('select domain from watch_entries where not has_confirmed_facts');
    if (unchecked.length === 0) return;
    if (Date.now() > until) throw new Error(`${unchecked.length} entries were not checked within a minute`);
    await pause(POLL_MS);
  }
}

async function create(client: ApiClient, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.call({ method: 'POST', path, body }, TIMEOUT_MS);
  if (answer?.status !== 201) throw new Error(`${path} could not be set up: ${JSON.stringify(answer)}`);
  return answer.body;
}
