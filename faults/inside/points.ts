import { spawn } from 'node:child_process';

/**
 * Loaded into a process of the service by `node --import`, never by the service itself: in production none of this is
 * there. Wraps the methods below, at which the harness may have the process killed or frozen; moves its clock; and ends
 * it when the harness is gone. Runs as it stands, by Node's own stripping of types: it imports nothing of ours.
 */
interface Order {
  /** `spare`: nothing happens any more, wherever it should have. */
  readonly act: 'kill' | 'freeze' | 'clock' | 'spare';
  /** Where; null is here and now. */
  readonly point: string | null;
  /** For how long it is frozen, or by how much its clock is ahead. */
  readonly seconds: number;
  /** Milliseconds; for so long whoever comes to the point is kept there, so that it happens to many at once. */
  readonly gather?: number;
}

type Method = (...values: unknown[]) => Promise<unknown>;
type Place = readonly [point: string, module: string, exported: string, method: string, when: 'before' | 'after'];

/** Each a moment at which a death could lose something, or do it twice. */
const PLACES: readonly Place[] = [
  ['check.claimed', 'watchlist/infrastructure/repositories/postgres-leases', 'PostgresLeases', 'claimDue', 'after'],
  ['check.held', 'watchlist/infrastructure/repositories/postgres-leases', 'PostgresLeases', 'hold', 'after'],
  ['check.looked', 'domains/application/checks/refresh-domain', 'RefreshDomain', 'run', 'after'],
  ['check.recording', 'watchlist/application/checks/record-check-results', 'RecordCheckResults', 'run', 'before'],
  ['check.recorded', 'watchlist/application/checks/record-check-results', 'RecordCheckResults', 'run', 'after'],
  ['move.lease-ended', 'watchlist/infrastructure/repositories/postgres-leases', 'PostgresLeases', 'end', 'after'],
  ['move.made', 'platform/database/event-dispatcher', 'EventDispatcher', 'dispatch', 'before'],
  ['move.told', 'platform/database/event-dispatcher', 'EventDispatcher', 'dispatch', 'after'],
  ['work.committed', 'platform/database/postgres-unit-of-work', 'PostgresUnitOfWork', 'run', 'after'],
  ['bell.ringing', 'platform/queue/queue-producer', 'QueueProducer', 'enqueue', 'before'],
  ['bell.rung', 'platform/queue/queue-producer', 'QueueProducer', 'enqueue', 'after'],
  [
    'delivery.claimed',
    'notifications/infrastructure/deliveries/postgres-delivery-repository',
    'PostgresDeliveryRepository',
    'claimDue',
    'after',
  ],
  [
    'delivery.reclaimed',
    'notifications/infrastructure/deliveries/postgres-delivery-repository',
    'PostgresDeliveryRepository',
    'claimDueAtHosts',
    'after',
  ],
  ['delivery.begun', 'notifications/application/deliveries/start-attempts', 'StartAttempts', 'run', 'after'],
  ['delivery.sent', 'notifications/infrastructure/channels/webhook-sender', 'WebhookSender', 'send', 'after'],
  [
    'delivery.saved',
    'notifications/infrastructure/deliveries/postgres-delivery-repository',
    'PostgresDeliveryRepository',
    'save',
    'after',
  ],
  ['delivery.ended', 'notifications/application/deliveries/finish-attempts', 'FinishAttempts', 'run', 'after'],
  ['entry.adding', 'watchlist/application/entries/watchlist.service', 'WatchlistService', 'add', 'before'],
  ['entry.added', 'watchlist/application/entries/watchlist.service', 'WatchlistService', 'add', 'after'],
];

const armed = new Map<string, Order>();

/** The method as it was, with the point beside it. @throws when the service has no such method any more */
async function place([point, module, exported, method, when]: Place): Promise<void> {
  const built = (await import(new URL(`../../dist/${module}.js`, import.meta.url).href)) as Record<
    string,
    { readonly prototype: Record<string, Method | undefined> } | undefined
  >;
  const prototype = built[exported]?.prototype;
  const original = prototype?.[method];
  if (!prototype || !original) throw new Error(`the fault point ${point} is at ${exported}.${method}, which is gone`);
  prototype[method] = async function (this: unknown, ...values: unknown[]) {
    if (when === 'before') await pass(point, namesIn(values[0]));
    const result = await original.apply(this, values);
    if (when === 'after' && !isNothing(result)) await pass(point, []);
    return result;
  };
}

/** A tick that found nothing to do is no moment to die at. */
function isNothing(result: unknown): boolean {
  return result === null || result === false || (Array.isArray(result) && result.length === 0);
}

/** The names that a batch of looks is about. */
function namesIn(looks: unknown): string[] {
  if (!Array.isArray(looks)) return [];
  return (looks as { held?: { watched: { domain: string } } }[]).flatMap(({ held }) => held?.watched.domain ?? []);
}

/** What is kept at a point until all of it is hit together. */
interface Gathering {
  readonly names: string[];
  readonly over: Promise<void>;
}
let gathering: Gathering | null = null;

/** Nothing comes between the point and what happens there, unless others are waited for. */
function pass(point: string, names: readonly string[]): Promise<void> | void {
  const order = armed.get(point);
  if (!order) return;
  if (order.gather === undefined) return hit(point, order, names);
  gathering ??= gather(point, order, order.gather);
  gathering.names.push(...names);
  return gathering.over;
}

function gather(point: string, order: Order, milliseconds: number): Gathering {
  const names: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  setTimeout(() => {
    hit(point, order, names);
    gathering = null;
    resolve();
  }, milliseconds);
  return { names, over };
}

function hit(point: string, order: Order, names: readonly string[]): void {
  armed.delete(point);
  process.send?.({ passed: point, names }); // it is written before this returns, so a kill does not outrun it
  carryOut(order);
}

function carryOut({ act, seconds }: Order): void {
  if (act === 'clock') clockIsAheadBy(seconds);
  if (act === 'kill') process.kill(process.pid, 'SIGKILL');
  if (act === 'freeze') freeze(seconds);
  if (act === 'spare') armed.clear();
}

/**
 * Whoever thaws it outlives the harness, and counts from when it is stopped: on a busy machine it takes a while until
 * a process that has told somebody to wake it up has gone to sleep.
 */
const THAW = `
  while :; do case $(ps -o stat= -p $0) in T* | '') break ;; esac; sleep 0.1; done
  sleep $1
  kill -CONT $0`;

function freeze(seconds: number): void {
  const thaw = ['-c', THAW, String(process.pid), String(seconds)];
  spawn('/bin/sh', thaw, { detached: true, stdio: 'ignore' }).unref();
  process.kill(process.pid, 'SIGSTOP');
}

const RealDate = Date;

/** As if somebody had set the machine's clock: whatever reads it, reads another time. Monotonic timers do not notice. */
function clockIsAheadBy(seconds: number): void {
  const now = () => RealDate.now() + seconds * 1_000;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values: unknown[], self) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, self) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
  });
}

if (process.send) {
  await Promise.all(PLACES.map(place));
  process.on('message', (order: Order) => {
    if (order.point === null) carryOut(order);
    else armed.set(order.point, order);
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
