import { Webhook } from 'standardwebhooks';
import { type Agent, request } from 'undici';

/** Equals what ours makes at a time: two channels to each host, with two attempts each. */
const CONNECTIONS_PER_HOST = 4;

/**
 * The baseline: one process that makes signed POSTs over connections that are used again. Nothing is claimed and nothing
 * is written down, so there is no database that needs a share of the machine.
 * @returns POSTs a second
 */
export async function rawLoop(origins: readonly string[], agent: Agent, seconds: number): Promise<number> {
  const webhook = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const began = performance.now();
  const until = began + seconds * 1_000;
  let sent = 0;
  const one = async (origin: string) => {
    while (performance.now() < until) {
      const { id, body, now } = { id: `evt_${sent}`, body: BODY, now: new Date() };
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': webhook.sign(id, now, body),
      };
      const reply = await request(`${origin}/hook`, { method: 'POST', headers, body, dispatcher: agent });
      if (reply.statusCode !== 204) throw new Error(`${origin} answered ${reply.statusCode}`);
      await reply.body.dump();
      sent += 1;
    }
  };
  await Promise.all(origins.flatMap((origin) => Array.from({ length: CONNECTIONS_PER_HOST }, () => one(origin))));
  return (sent * 1_000) / (performance.now() - began);
}

/** Is as long as ours are. */
export const BODY = JSON.stringify({
  id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vwx',
  type: 'watchlist.available',
  timestamp: '2026-11-21T02:00:00.123Z',
  data: {
    entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    domain: 'lapsed.example',
    domain_unicode: 'lapsed.example',
    status: 'available',
    previous_status: 'pending_delete',
    phase: 'available',
    previous_phase: 'pending_delete',
    move: 'dropped',
    change_seq: 7,
    expires_at: null,
    source: 'rdap',
    observed_at: '2026-11-21T01:59:00.123Z',
    confirmed_at: '2026-11-21T02:00:00.123Z',
    threshold_days: null,
    tags: [],
    purpose: 'monitor',
  },
});
