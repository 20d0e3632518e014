import { rdapNotFound } from '../../test/support/builders/rdap-answers.js';
import { saying } from '../../test/support/fakes/registry-faults.js';
import { verified } from '../../test/support/fakes/webhook-receiver.js';
import type { DemoEnvironment } from './environment.js';

const DAY = 86_400_000;
const NAME = 'lapsing.demo';
const WHOIS_NAME = 'veteran.elder';
const inDays = (days: number) => new Date(Date.now() + days * DAY);
const registeredAt = inDays(-900);
/** A change must arrive within this; milliseconds. */
const TIMEOUT_MS = 10_000;

/** One step, as shown on the terminal. */
export interface DemoStep {
  readonly seconds: number;
  readonly status: string;
  /** What the registry says from this moment on. */
  readonly registry: string;
  readonly move: string | null;
  readonly webhook: { readonly id: string; readonly signature: 'verified' } | null;
  readonly mail: { readonly to: string; readonly subject: string } | null;
  readonly chat: { readonly text: string } | null;
}

/** What happens at the registries, one after the other. */
interface Change {
  readonly registry: string;
  readonly status: string;
  readonly happens: (stage: DemoEnvironment) => void;
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

/** Watches two names through their deletion and reports each change, once its webhook and its mail arrived. */
export async function runScenario(stage: DemoEnvironment, report: (scene: DemoStep) => void): Promise<void> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const noDelivery = { move: null, webhook: null, mail: null, chat: null };
  stage.registry.holds(NAME, { registeredAt, expiresAt: inDays(300) });
  stage.dns.delegates(NAME);
  stage.whois.holds(WHOIS_NAME, inDays(300).toISOString());
  const secret = await openChannels(stage);
  for (const domain of [NAME, WHOIS_NAME]) await post(stage, '/v1/watchlist', { domain, interval_minutes: 5 });
  await awaitFirstChecks(stage);
  report({ seconds: seconds(), status: 'registered', registry: 'registered, expires in 300 days', ...noDelivery });

  const status = await simulateRegistryOutage(stage);
  report({
    seconds: seconds(),
    status,
    registry: 'no such name, whatever it is asked; DNS knows better',
    ...noDelivery,
  });

  for (const [index, change] of CHANGES.entries()) {
    change.happens(stage);
    const delivered = await delivery(stage, secret, index, change.status);
    report({ seconds: seconds(), status: change.status, registry: change.registry, ...delivered });
  }
}

/** The registry denies everything until DNS was asked to confirm that, and works again. */
async function simulateRegistryOutage(stage: DemoEnvironment): Promise<string> {
  const before = stage.dns.queries(NAME);
  stage.registry.saysToEverything(saying(404, rdapNotFound()));
  await until(() => Promise.resolve(stage.dns.queries(NAME) > before));
  stage.registry.saysToEverything(null);
  const { data } = (await call(stage, '/v1/watchlist')) as { data: { domain: string; status: string }[] };
  return data.find(({ domain }) => domain === NAME)?.status ?? 'gone';
}

/** The message about the latest change, as the receivers have it. */
async function delivery(stage: DemoEnvironment, secret: string, index: number, status: string) {
  const [webhooks, mails, messages] = await Promise.all([
    stage.receiver.received.waitFor(index + 1, TIMEOUT_MS),
    stage.mail.caught.waitFor(index + 1, TIMEOUT_MS),
    stage.chat.received.waitFor(index + 1, TIMEOUT_MS),
  ]);
  const [webhook, mail, message] = [webhooks[index], mails[index], messages[index]];
  if (!webhook || !mail || !message) throw new Error('a change was not delivered');
  const event = verified(webhook, secret) as { id: string; data: { status: string; move: string } };
  if (event.data.status !== status) throw new Error(`expected ${status}, got ${event.data.status}`);
  return {
    move: event.data.move,
    webhook: { id: event.id, signature: 'verified' as const },
    mail: { to: mail.to.join(), subject: mail.parsed.subject ?? '' },
    chat: { text: firstLine((JSON.parse(message.body.toString()) as { text: string }).text) },
  };
}

const firstLine = (text: string) => text.slice(0, text.indexOf('\n'));

/** A name is free when it is out of the registry and out of its zone. */
function release({ registry, dns }: DemoEnvironment): void {
  dns.releases(NAME);
  registry.releases(NAME);
}

async function openChannels(stage: DemoEnvironment): Promise<string> {
  await post(stage, '/v1/notifications', { type: 'email', target: 'you@demo.example' });
  await post(stage, '/v1/notifications', { type: 'webhook', format: 'slack', target: stage.chat.url('/chat') });
  const webhook = { type: 'webhook', target: stage.receiver.url('/hook') };
  return ((await post(stage, '/v1/notifications', webhook)) as { secret: string }).secret;
}

/** The story begins when the service has seen the names as they are. */
function awaitFirstChecks(stage: DemoEnvironment): Promise<void> {
  return until(async () => {
    const { data } = (await call(stage, '/v1/watchlist')) as { data: { last_checked_at: string | null }[] };
    return data.every((entry) => entry.last_checked_at !== null);
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the names were not checked');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function post(stage: DemoEnvironment, path: string, body: object): Promise<unknown> {
  return call(stage, path, { method: 'POST', body: JSON.stringify(body) });
}

async function call({ address, key }: DemoEnvironment, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
