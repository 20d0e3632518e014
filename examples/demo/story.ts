import type { FakeRecord } from '../../test/support/rdap-answers.js';
import { verified } from '../../test/support/webhook-receiver.js';
import type { Stage } from './stage.js';

const DAY = 86_400_000;
const NAME = 'lapsing.demo';
/** A change must arrive within this; milliseconds. */
const PATIENCE = 10_000;

/** One thing that happened, as the person in front of the terminal is told. */
export interface Scene {
  readonly seconds: number;
  readonly status: string;
  /** What the registry says from this moment on. */
  readonly registry: string;
  readonly move: string | null;
  readonly webhook: { readonly id: string; readonly signature: 'verified' } | null;
  readonly mail: { readonly to: string; readonly subject: string } | null;
}

const CHANGES: readonly { registry: string; status: string; record: (now: number) => FakeRecord | null }[] = [
  { registry: 'it expires in 10 days', status: 'expiring', record: (now) => ({ expiresAt: new Date(now + 10 * DAY) }) },
  {
    registry: 'pending delete',
    status: 'pending_delete',
    record: (now) => ({ statuses: ['pending delete'], expiresAt: new Date(now - 60 * DAY) }),
  },
  { registry: 'no such name', status: 'available', record: () => null },
];

/** Watches one name through its end at the registry and tells each change, once its webhook and its mail are there. */
export async function play(stage: Stage, tell: (scene: Scene) => void): Promise<void> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const registeredAt = new Date(Date.now() - 900 * DAY);
  stage.registry.holds(NAME, { registeredAt, expiresAt: new Date(Date.now() + 300 * DAY) });
  stage.dns.delegates(NAME);
  const secret = await openChannels(stage);
  await post(stage, '/v1/watchlist', { domain: NAME, interval_minutes: 5 });
  await firstLook(stage);
  const nothingYet = { move: null, webhook: null, mail: null };
  tell({ seconds: seconds(), status: 'registered', registry: 'registered, expires in 300 days', ...nothingYet });

  for (const [index, { registry, status, record }] of CHANGES.entries()) {
    const truth = record(Date.now());
    if (truth) stage.registry.holds(NAME, { registeredAt, ...truth });
    else release(stage);
    const [webhooks, mails] = await Promise.all([
      stage.receiver.received.waitFor(index + 1, PATIENCE),
      stage.mail.caught.waitFor(index + 1, PATIENCE),
    ]);
    const webhook = webhooks[index];
    const mail = mails[index];
    if (!webhook || !mail) throw new Error('a change was told to nobody');
    const event = verified(webhook, secret) as { id: string; data: { status: string; move: string } };
    if (event.data.status !== status) throw new Error(`expected ${status}, was told ${event.data.status}`);
    tell({
      ...{ seconds: seconds(), status, registry, move: event.data.move },
      webhook: { id: event.id, signature: 'verified' },
      mail: { to: mail.to.join(), subject: mail.parsed.subject ?? '' },
    });
  }
}

/** A name is free when it is out of the registry and out of its zone. */
function release({ registry, dns }: Stage): void {
  dns.releases(NAME);
  registry.releases(NAME);
}

async function openChannels(stage: Stage): Promise<string> {
  await post(stage, '/v1/notifications', { type: 'email', target: 'you@demo.example' });
  const webhook = { type: 'webhook', target: stage.receiver.url('/hook') };
  return ((await post(stage, '/v1/notifications', webhook)) as { secret: string }).secret;
}

/** The story begins when the service has seen the name as it is. */
async function firstLook(stage: Stage): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (performance.now() < deadline) {
    const { data } = (await call(stage, '/v1/watchlist')) as { data: { last_checked_at: string | null }[] };
    if (data[0]?.last_checked_at) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the name was not looked at');
}

function post(stage: Stage, path: string, body: object): Promise<unknown> {
  return call(stage, path, { method: 'POST', body: JSON.stringify(body) });
}

async function call({ address, key }: Stage, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
