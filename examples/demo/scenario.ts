import { rdapNotFound } from '../../test/support/builders/rdap-answers.js';
import type { Arrivals } from '../../test/world/arrivals.js';
import { saying } from '../../test/world/registry-faults.js';
import { verified } from '../../test/world/receiver.js';
import type { DemoEnvironment } from './environment.js';

const DAY = 86_400_000;
const NAME = 'lapsing.demo';
const WHOIS_NAME = 'veteran.elder';
const HOSTS = ['ns1.hosting.example', 'ns2.hosting.example'];
const PARKING_HOSTS = ['ns1.parking.example', 'ns2.parking.example'];
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
  readonly domain: string;
  readonly registry: string;
  readonly status: string;
  /** Of the event that reports it: what the change means, or what it changed beside the status. */
  readonly move?: string;
  readonly kind?: string;
  /** In the words of mails and chats. */
  readonly message: string;
  readonly happens: (stage: DemoEnvironment) => void;
}

const CHANGES: readonly Change[] = [
  {
    domain: NAME,
    registry: 'it expires in 10 days',
    status: 'expiring',
    move: 'expiring',
    message: 'expires on',
    happens: ({ registry }) => registry.holds(NAME, { registeredAt, expiresAt: inDays(10), nameservers: HOSTS }),
  },
  {
    domain: NAME,
    registry: 'other name servers, as its zone does',
    status: 'expiring',
    kind: 'nameservers',
    message: 'has other name servers',
    happens: ({ registry, dns }) => {
      dns.publishes(NAME, PARKING_HOSTS);
      registry.holds(NAME, { registeredAt, expiresAt: inDays(10), nameservers: PARKING_HOSTS });
    },
  },
  {
    domain: NAME,
    registry: 'pending delete',
    status: 'pending_delete',
    move: 'deletion_started',
    message: 'is now pending deletion',
    happens: ({ registry }) =>
      registry.holds(NAME, { registeredAt, statuses: ['pending delete'], expiresAt: inDays(-60) }),
  },
  {
    domain: NAME,
    registry: 'no such name',
    status: 'available',
    move: 'dropped',
    message: 'is now available',
    happens: release,
  },
  {
    domain: WHOIS_NAME,
    registry: 'No match for "VETERAN.ELDER".',
    status: 'available',
    move: 'dropped',
    message: 'is now available',
    happens: ({ whois }) => whois.releases(WHOIS_NAME),
  },
];

/** Watches two names through their deletion and reports each change, once its webhook, its mail and its chat message arrived. */
export async function runScenario(stage: DemoEnvironment, report: (scene: DemoStep) => void): Promise<void> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const noDelivery = { move: null, webhook: null, mail: null, chat: null };
  stage.registry.holds(NAME, { registeredAt, expiresAt: inDays(300), nameservers: HOSTS });
  stage.dns.publishes(NAME, HOSTS);
  stage.whois.holds(WHOIS_NAME, inDays(300).toISOString());
  const secret = await openChannels(stage);
  await post(stage, '/v1/watchlist', { domain: NAME, interval_minutes: 5, purpose: 'own' }); // other name servers are news too
  await post(stage, '/v1/watchlist', { domain: WHOIS_NAME, interval_minutes: 5 });
  await awaitFirstChecks(stage);
  report({ seconds: seconds(), status: 'registered', registry: 'registered, expires in 300 days', ...noDelivery });

  const status = await simulateRegistryOutage(stage);
  report({
    seconds: seconds(),
    status,
    registry: 'no such name, whatever it is asked; DNS knows better',
    ...noDelivery,
  });

  for (const change of CHANGES) {
    change.happens(stage);
    const delivered = await delivery(stage, secret, change);
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

interface DeliveredEvent {
  readonly id: string;
  readonly data: {
    readonly domain: string;
    readonly status: string;
    readonly move: string | null;
    readonly kind?: string;
  };
}

/** The messages about a change, as the receivers have them; others may come between. */
async function delivery(stage: DemoEnvironment, secret: string, { domain, status, move, kind, message }: Change) {
  const isReport = ({ data }: DeliveredEvent) =>
    data.domain === domain && (kind === undefined ? data.move === move : data.kind === kind);
  const words = `${domain} ${message}`;
  const [event, mail, text] = await Promise.all([
    find(stage.receiver.received, (webhook) => verified(webhook, secret) as DeliveredEvent, isReport),
    find(
      stage.mail.caught,
      (caught) => caught,
      ({ parsed }) => parsed.subject?.includes(words) ?? false,
    ),
    find(stage.chat.received, toChatText, (line) => line.includes(words)),
  ]);
  if (event.data.status !== status) throw new Error(`expected ${status}, got ${event.data.status}`);
  return {
    move: kind === undefined ? event.data.move : `${kind} changed`,
    webhook: { id: event.id, signature: 'verified' as const },
    mail: { to: mail.to.join(), subject: mail.parsed.subject ?? '' },
    chat: { text },
  };
}

/** The first arrival that matches, now or later. @throws when it does not come in time */
async function find<Arrival, Message>(
  arrivals: Arrivals<Arrival>,
  read: (arrival: Arrival) => Message,
  isWanted: (message: Message) => boolean,
): Promise<Message> {
  for (let index = 0; ; index++) {
    const arrived = (await arrivals.waitFor(index + 1, TIMEOUT_MS))[index];
    if (arrived === undefined) throw new Error('a change was not delivered');
    const message = read(arrived);
    if (isWanted(message)) return message;
  }
}

const toChatText = ({ body }: { readonly body: Buffer }) =>
  firstLine((JSON.parse(body.toString()) as { text: string }).text);
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
