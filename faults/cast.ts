import type { Client } from './client.js';
import type { Watch } from './evidence.js';
import { INTERVAL_MINUTES } from './settings.js';
import type { Stage } from './stage.js';

/** Milliseconds; nothing is wrong yet. */
const PATIENCE = 20_000;

const MAILED = 'mailed';
/** So few that a short run's mails go out one by one; in a longer one, some wait for the digest of their hour. */
const MOST_MAILED = 4;

/** The channels of each account: what they are called at the receiver, and what they want. */
const CHANNELS = [
  { kind: 'steady', type: 'webhook' },
  { kind: 'moody', type: 'webhook' },
  { kind: 'drops', type: 'webhook', event_types: ['watchlist.available'] },
  { kind: 'mail', type: 'email', tags: [MAILED] },
] as const;

/** Channels by their ids, and what was answered to those who watch. */
export interface Cast {
  readonly standing: ReadonlyMap<string, string>;
  readonly watches: readonly Watch[];
}

/** Opens each account's channels, then puts every name on each account's list. */
export async function cast(stage: Stage, clients: readonly Client[], names: readonly string[]): Promise<Cast> {
  const standing = new Map<string, string>();
  for (const [i, client] of clients.entries())
    for (const { kind, ...wishes } of CHANNELS) {
      const label = `${kind}-${i + 1}`;
      const isMail = wishes.type === 'email';
      const target = isMail ? stage.mails.address(label) : stage.receivers.url(label);
      const { id, secret } = await created(client, '/v1/notifications', { ...wishes, target });
      if (!isMail) stage.receivers.isToldSecret(label, String(secret));
      standing.set(String(id), label);
    }
  const watches: Watch[] = [];
  for (const client of clients)
    for (const [i, domain] of names.entries()) {
      const tags = i < names.length - MOST_MAILED ? [] : [MAILED];
      const body = { domain, interval_minutes: INTERVAL_MINUTES, tags };
      const { id, status } = await created(client, '/v1/watchlist', body);
      watches.push({ id: String(id), domain, status: String(status) });
    }
  return { standing, watches };
}

async function created(client: Client, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.ask({ method: 'POST', path, body }, PATIENCE);
  if (answer?.status !== 201) throw new Error(`${path} could not be set up: ${JSON.stringify(answer)}`);
  return answer.body;
}
