import type { Client } from './client.js';
import type { Watch } from './evidence.js';
import { INTERVAL_MINUTES } from './settings.js';
import type { Stage } from './stage.js';

/** Milliseconds; nothing is wrong yet. */
const PATIENCE = 20_000;

/** The channels of each account: what they are called at the receiver, and what they want. */
const CHANNELS = [
  ['steady', []],
  ['moody', []],
  ['drops', ['watchlist.available']],
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
    for (const [kind, event_types] of CHANNELS) {
      const label = `${kind}-${i + 1}`;
      const body = { type: 'webhook', target: stage.receivers.url(label), event_types };
      const { id, secret } = await created(client, '/v1/notifications', body);
      stage.receivers.isToldSecret(label, String(secret));
      standing.set(String(id), label);
    }
  const watches: Watch[] = [];
  for (const client of clients)
    for (const domain of names) {
      const { id, status } = await created(client, '/v1/watchlist', { domain, interval_minutes: INTERVAL_MINUTES });
      watches.push({ id: String(id), domain, status: String(status) });
    }
  return { standing, watches };
}

async function created(client: Client, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.ask({ method: 'POST', path, body }, PATIENCE);
  if (answer?.status !== 201) throw new Error(`${path} could not be set up: ${JSON.stringify(answer)}`);
  return answer.body;
}
