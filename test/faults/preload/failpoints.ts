import { spawn } from 'node:child_process';

/**
 * Loaded into a service process by `node --import`, never by the service itself, so it does not exist in production.
 * Wraps the methods below, at which the harness may kill or freeze the process; shifts its clock; ends it when the
 * harness is gone. Runs by Node's type stripping, so it imports no file of this project.
 */
interface FailpointCommand {
  /** `spare`: disarms all failpoints. */
  readonly act: 'kill' | 'freeze' | 'clock' | 'spare';
  /** null: immediately. */
  readonly point: string | null;
  /** The duration of a freeze, or the shift of the clock. */
  readonly seconds: number;
  /** Milliseconds; calls that reach the point within this time are held there and hit together. */
  readonly gather?: number;
}

type Method = (...values: unknown[]) => Promise<unknown>;
type Failpoint = readonly [point: string, module: string, exported: string, method: string, when: 'before' | 'after'];

/** Moments at which the death of the process could lose or duplicate work. */
const FAILPOINTS: readonly Failpoint[] = [
  ['check.claimed', 'watchlist/checks/leases.repository', 'LeaseRepository', 'claimDue', 'after'],
  ['check.held', 'watchlist/checks/leases.repository', 'LeaseRepository', 'start', 'after'],
  ['check.looked-up', 'domains/checks/domain-lookup', 'DomainLookup', 'forWatch', 'after'],
  ['check.recording', 'watchlist/checks/record-check-results', 'RecordCheckResults', 'run', 'before'],
  ['check.recorded', 'watchlist/checks/record-check-results', 'RecordCheckResults', 'run', 'after'],
  ['transition.lease-released', 'watchlist/checks/leases.repository', 'LeaseRepository', 'end', 'after'],
  ['transition.publishing', 'kernel/unit-of-work', 'EventBus', 'dispatch', 'before'],
  ['transition.published', 'kernel/unit-of-work', 'EventBus', 'dispatch', 'after'],
  ['work.committed', 'platform/database/postgres-unit-of-work', 'PostgresUnitOfWork', 'run', 'after'],
  ['job.enqueuing', 'platform/queue/store-queue', 'StoreQueue', 'addBulk', 'before'],
  ['job.enqueued', 'platform/queue/store-queue', 'StoreQueue', 'addBulk', 'after'],
  [
    'delivery.claimed',
    'notifications/deliveries/channel-leases.repository',
    'ChannelLeaseRepository',
    'claim',
    'after',
  ],
  ['delivery.begun', 'notifications/deliveries/attempts.repository', 'AttemptRepository', 'start', 'after'],
  ['delivery.sent', 'notifications/channels/webhook-sender', 'WebhookSender', 'send', 'after'],
  ['delivery.saved', 'notifications/deliveries/deliveries.repository', 'DeliveryRepository', 'finish', 'after'],
  ['delivery.ended', 'notifications/deliveries/finish-attempts', 'FinishAttempts', 'run', 'after'],
  ['entry.adding', 'watchlist/entries/watchlist.service', 'WatchlistService', 'add', 'before'],
  ['entry.added', 'watchlist/entries/watchlist.service', 'WatchlistService', 'add', 'after'],
];

const armed = new Map<string, FailpointCommand>();

/** Wraps the method. @throws when the service has no such method */
async function install([point, module, exported, method, when]: Failpoint): Promise<void> {
  const built = (await import(new URL(`../../../dist/${module}.js`, import.meta.url).href)) as Record<
    string,
    { readonly prototype: Record<string, Method | undefined> } | undefined
  >;
  const prototype = built[exported]?.prototype;
  const original = prototype?.[method];
  if (!prototype || !original) throw new Error(`the fault point ${point} is at ${exported}.${method}, which is gone`);
  prototype[method] = async function (this: unknown, ...values: unknown[]) {
    if (when === 'before') await reach(point, getDomains(values[0]));
    const result = await original.apply(this, values);
    if (when === 'after' && !isEmptyResult(result)) await reach(point, []);
    return result;
  };
}

/** A tick that found nothing to do is not worth a crash. */
function isEmptyResult(result: unknown): boolean {
  return result === null || result === false || (Array.isArray(result) && result.length === 0);
}

/** The domains of a batch of results. */
function getDomains(batch: unknown): string[] {
  if (!Array.isArray(batch)) return [];
  return (batch as { leased?: { watchedName: { domain: string } } }[]).flatMap(
    ({ leased }) => leased?.watchedName.domain ?? [],
  );
}

/** Calls held at a point until they are hit together. */
interface Gathering {
  readonly names: string[];
  readonly over: Promise<void>;
}
let gathering: Gathering | null = null;

/** Synchronous unless it gathers further calls. */
function reach(point: string, names: readonly string[]): Promise<void> | void {
  const order = armed.get(point);
  if (!order) return;
  if (order.gather === undefined) return trigger(point, order, names);
  gathering ??= gather(point, order, order.gather);
  gathering.names.push(...names);
  return gathering.over;
}

function gather(point: string, order: FailpointCommand, milliseconds: number): Gathering {
  const names: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  setTimeout(() => {
    trigger(point, order, names);
    gathering = null;
    resolve();
  }, milliseconds);
  return { names, over };
}

function trigger(point: string, order: FailpointCommand, names: readonly string[]): void {
  armed.delete(point);
  process.send?.({ passed: point, names }); // written synchronously, so before a kill
  execute(order);
}

function execute({ act, seconds }: FailpointCommand): void {
  if (act === 'clock') shiftClock(seconds);
  if (act === 'kill') process.kill(process.pid, 'SIGKILL');
  if (act === 'freeze') freeze(seconds);
  if (act === 'spare') armed.clear();
}

/**
 * A detached shell that waits until the process is stopped, which takes a while on a busy machine, then sleeps and
 * continues it. It outlives the harness.
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

/** Does what setting the machine's clock would: Date changes, monotonic timers do not. */
function shiftClock(seconds: number): void {
  const now = () => RealDate.now() + seconds * 1_000;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values: unknown[], self) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, self) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
  });
}

if (process.send) {
  await Promise.all(FAILPOINTS.map(install));
  process.on('message', (order: FailpointCommand) => {
    if (order.point === null) execute(order);
    else armed.set(order.point, order);
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
