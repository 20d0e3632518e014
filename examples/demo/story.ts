import { rdapNotFound } from '../../test/support/builders/rdap-answers.js';
import { saying } from '../../test/support/fakes/registry-faults.js';
import { verified } from '../../test/support/fakes/webhook-receiver.js';
import type { Stage } from './stage.js';

const DAY = 86_400_000;
const NAME = 'lapsing.demo';
const WHOIS_NAME = 'veteran.elder';
const inDays = (days: number) => new Date(Date.now() + days * DAY);
const registeredAt = inDays(-900);
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

/** What happens at the registries, one after the other. */
interface Change {
  readonly registry: string;
  readonly status: string;
  readonly happens: (stage: Stage) => void;
}

const CHANGES: readonly Change[] = [
  {
    ...{ registry: 'it expires in 10 days', status: 'expiring' },
    happens: ({ registry }) => registry.holds(NAME, { registeredAt, expiresAt: inDays(10) }),
  },
  {
    ...{ registry: 'pending delete', status: 'pending_delete' },
    happens: ({ registry }) =>
      registry.holds(NAME, { registeredAt, statuses: ['pending delete'], expiresAt: inDays(-60) }),
  },
  { registry: 'no such name', status: 'available', happens: release },
  {
    ...{ registry: 'No match for "VETERAN.ELDER".', status: 'available' },
    happens: ({ whois }) => whois.releases(WHOIS_NAME),
  },
];

/** Watches two names through their ends and tells each change, once its webhook and its mail are there. */
export async function play(stage: Stage, tell: (scene: Scene) => void): Promise<void> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const nothingTold = { move: null, webhook: null, mail: null };
  stage.registry.holds(NAME, { registeredAt, expiresAt: inDays(300) });
  stage.dns.delegates(NAME);
  stage.whois.holds(WHOIS_NAME, inDays(300).toISOString());
  const secret = await openChannels(stage);
  for (const domain of [NAME, WHOIS_NAME]) await post(stage, '/v1/watchlist', { domain, interval_minutes: 5 });
  await firstLooks(stage);
  tell({ seconds: seconds(), status: 'registered', registry: 'registered, expires in 300 days', ...nothingTold });

  const status = await breakDown(stage);
  tell({
    seconds: seconds(),
    status,
    registry: 'no such name, whatever it is asked; DNS knows better',
    ...nothingTold,
  });

  for (const [index, change] of CHANGES.entries()) {
    change.happens(stage);
    const told = await delivery(stage, secret, index, change.status);
    tell({ seconds: seconds(), status: change.status, registry: change.registry, ...told });
  }
}

/** The registry denies everything until DNS was asked to confirm that, and works again. */
async function breakDown(stage: Stage): Promise<string> {
  const before = stage.dns.queries(NAME);
  stage.registry.saysToEverything(saying(404, rdapNotFound()));
  await until(() => Promise.resolve(stage.dns.queries(NAME) > before));
  stage.registry.saysToEverything(null);
  const { data } = (await call(stage, '/v1/watchlist')) as { data: { domain: string; status: string }[] };
  return data.find(({ domain }) => domain === NAME)?.status ?? 'gone';
}

/** The message about the latest change, as the receivers have it. */
async function delivery(stage: Stage, secret: string, index: number, status: string) {
  const [webhooks, mails] = await Promise.all([
    stage.receiver.received.waitFor(index + 1, PATIENCE),
    stage.mail.caught.waitFor(index + 1, PATIENCE),
  ]);
  const [webhook, mail] = [webhooks[index], mails[index]];
  if (!webhook || !mail) throw new Error('a change was told to nobody');
  const event = verified(webhook, secret) as { id: string; data: { status: string; move: string } };
  if (event.data.status !== status) throw new Error(`expected ${status}, was told ${event.data.status}`);
  return {
    move: event.data.move,
    webhook: { id: event.id, signature: 'verified' as const },
    mail: { to: mail.to.join(), subject: mail.parsed.subject ?? '' },
  };
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

/** The story begins when the service has seen the names as they are. */
function firstLooks(stage: Stage): Promise<void> {
  return until(async () => {
    const { data } = (await call(stage, '/v1/watchlist')) as { data: { last_checked_at: string | null }[] };
    return data.every((entry) => entry.last_checked_at !== null);
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the names were not looked at');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
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
