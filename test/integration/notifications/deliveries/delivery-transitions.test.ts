import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { after, HOUR } from '../../../../src/kernel/clock.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { CLAIM } from '../../../../src/notifications/deliveries/claims.repository.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { DigestRepository } from '../../../../src/notifications/deliveries/digests.repository.js';
import { ReplayRepository } from '../../../../src/notifications/deliveries/replays.repository.js';
import { SuspendedDeliveryRepository } from '../../../../src/notifications/deliveries/suspended-deliveries.repository.js';
import { accepted, type Attempt, failed } from '../../../../src/notifications/domain/attempt.js';
import { Delivery } from '../../../../src/notifications/domain/delivery.js';
import { DeliveryRepository } from '../../../../src/notifications/deliveries/deliveries.repository.js';
import type { RetrySchedule } from '../../../../src/notifications/domain/retry-schedule.js';
import { NotificationEvent } from '../../../../src/notifications/domain/notification-event.js';
import { NotificationEventRepository } from '../../../../src/notifications/events/notification-events.repository.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { type DeliveryShape, DeliveryTable, DIGEST, NOW, type StoredDelivery } from './delivery-table.js';

let table: DeliveryTable;
beforeAll(async () => {
  table = await DeliveryTable.start();
});
beforeEach(() => table.clear());
afterAll(() => table.close());

const REPLY = { responseStatus: 200, responseExcerpt: 'thanks' };
const OK = accepted(REPLY.responseStatus, REPLY.responseExcerpt);
const REFUSED = failed('http_error', { responseStatus: 500 });
const RETRY_MS = 60_000;
const retrying = { nextDelayMs: () => RETRY_MS } as unknown as RetrySchedule;
const exhausted = { nextDelayMs: () => null } as unknown as RetrySchedule;
const DURATION_MS = 12;

const inTransaction = <Result>(work: () => Promise<Result>) => table.of(UnitOfWork).run(work);
const deliveries = () => table.of(DeliveryRepository);
const digests = () => table.of(DigestRepository);
const replays = () => table.of(ReplayRepository);
const suspended = () => table.of(SuspendedDeliveryRepository);

/** What the aggregate becomes; the attempt that it started or finished, if any. */
interface Change {
  readonly fields?: Partial<Delivery>;
  readonly attempt?: Attempt;
  /** Whether the attempt in progress becomes lost. */
  readonly isLost?: boolean;
}

interface Transition {
  /** Which deliveries it changes. */
  readonly applies: (shape: DeliveryShape) => boolean;
  readonly aggregate: (stored: StoredDelivery) => Change;
  readonly statement: (rows: readonly StoredDelivery[]) => Promise<unknown>;
}

const finish = (stored: StoredDelivery, outcome = OK, schedule = retrying): Change => {
  stored.delivery.finishAttempt(outcome, schedule, NOW);
  return { attempt: stored.attempt.finish(outcome, DURATION_MS) };
};
/** Leases stay with the attempt in progress, which may still succeed. */
const pause = ({ delivery }: StoredDelivery): Change => {
  const { leaseToken } = delivery;
  delivery.pause();
  return { fields: { leaseToken } };
};
const isLeased = ({ lease }: DeliveryShape) => lease === 'valid';
const isPending = ({ state }: DeliveryShape) => state === 'pending';
const ofAccount = ({ channel }: DeliveryShape) => channel !== 'foreign';
const isUndeferred = ({ lease, failures, inDigest }: DeliveryShape) => lease === 'none' && failures === 0 && !inDigest;
const inProgress = ({ lease, attempts }: DeliveryShape) => lease !== 'none' && attempts > 0;

const PENDING_DIGEST = { id: DIGEST, kind: 'mail', channelId: 'nc_healthy', failures: 0 } as const;

/** A digest has no lease on its deliveries, and lets those go that are no longer pending. */
const finishInDigest = (outcome: typeof OK, schedule: RetrySchedule): Transition => ({
  applies: (shape) => shape.inDigest && inProgress(shape),
  aggregate: (stored) => {
    const { leaseToken, digestId } = stored.delivery;
    const change = finish(stored, outcome, schedule);
    return { ...change, fields: { leaseToken, digestId: stored.delivery.state === 'pending' ? digestId : null } };
  },
  statement: () =>
    inTransaction(async () => {
      const delayMs = schedule.nextDelayMs(1, outcome);
      const nextAttemptAt = outcome === OK || delayMs === null ? null : after(NOW, delayMs);
      await digests().finishAttempts(PENDING_DIGEST, { outcome, durationMs: DURATION_MS, nextAttemptAt });
    }),
});

/** Each statement that repeats a transition of the aggregate, beside that transition. */
const TRANSITIONS: Readonly<Record<string, Transition>> = {
  'claiming and starting': {
    applies: (shape) => shape.lease === 'none' && isPending(shape) && !shape.inDigest,
    aggregate: ({ delivery, claim }) => ({ attempt: delivery.startAttempt(NOW), fields: { leaseToken: claim.token } }),
    statement: async () => {
      const claims = { inAll: 1_000, leaseSeconds: 60, ofChannel: 1_000, ofHost: 1_000 };
      const values = [NOW, ...Object.values(claims), null, ['scripted'], 1_000];
      await table.replaceTokens(await table.of(SqlClient).run<{ id: string }>(CLAIM, values));
    },
  },
  'saving finished attempts': {
    applies: (shape) => isLeased(shape) && inProgress(shape),
    aggregate: (stored) => finish(stored, REFUSED),
    statement: (rows) =>
      inTransaction(() => {
        const changed = rows.filter(({ changed: isChanged }) => isChanged);
        const finished = changed.map(({ attempt }) => attempt.finish(REFUSED, DURATION_MS));
        return deliveries().save(
          changed.map(({ delivery }) => delivery),
          { finished },
        );
      }),
  },
  'saving postponed deliveries': {
    applies: (shape) => isLeased(shape) && isPending(shape),
    aggregate: ({ delivery }) => {
      delivery.postpone(after(NOW, HOUR));
      return {};
    },
    statement: (rows) =>
      inTransaction(() =>
        deliveries().save(
          rows.filter(({ changed }) => changed).map(({ delivery }) => delivery),
          {},
        ),
      ),
  },
  'pausing for channels': {
    applies: (shape) => isPending(shape) && ofAccount(shape),
    aggregate: pause,
    statement: () => inTransaction(() => deliveries().pauseForChannels(['nc_healthy', 'nc_failing'])),
  },
  'redelivering a range': {
    applies: (shape) => !isPending(shape) && shape.channel === 'healthy',
    aggregate: ({ delivery }) => {
      delivery.redeliver(NOW);
      return {};
    },
    statement: () =>
      inTransaction(async () => {
        const range = { channelId: 'nc_healthy', from: new Date(0), to: NOW, requestedAt: NOW };
        await replays().advance(await replays().start(range), 1_000);
      }),
  },
  'cancelling for deleted entries': {
    applies: (shape) => isPending(shape) && shape.isEntryDeleted,
    aggregate: () => ({ fields: { state: 'disabled', nextAttemptAt: null } }),
    statement: (rows) =>
      inTransaction(() =>
        deliveries().cancelForEntries(
          [table.accountId],
          rows.filter(({ shape }) => shape.isEntryDeleted).map(({ entryId }) => entryId),
        ),
      ),
  },
  'pausing for a suspension': {
    applies: (shape) => isPending(shape) && !shape.inDigest && ofAccount(shape),
    aggregate: pause,
    statement: async () => {
      await table.suspend();
      await suspended().pauseBatch(1_000);
    },
  },
  'resuming after a suspension': {
    applies: (shape) => shape.state === 'paused' && shape.isSuspended,
    aggregate: () => ({ fields: { state: 'pending', nextAttemptAt: NOW } }),
    statement: () => suspended().resumeBatch(NOW, 1_000),
  },
  'adding to a digest': {
    applies: (shape) => shape.channel === 'healthy' && (isLeased(shape) || (isPending(shape) && isUndeferred(shape))),
    aggregate: ({ delivery: { state } }) => {
      const deferred = state === 'pending' ? { digestId: DIGEST, nextAttemptAt: NOW } : {};
      return { fields: { ...deferred, leaseToken: null } };
    },
    statement: (rows) =>
      inTransaction(() => {
        const leased = rows.filter(({ shape }) => isLeased(shape) && shape.channel === 'healthy').map(({ id }) => id);
        return digests().hold(leased, { ...PENDING_DIGEST, dueAt: NOW }, [{ urgent: true, entryId: null }], NOW);
      }),
  },
  'starting attempts of a digest': {
    applies: (shape) => shape.inDigest && isPending(shape),
    aggregate: ({ delivery }) => {
      const { leaseToken } = delivery;
      return { attempt: delivery.startAttempt(NOW), fields: { leaseToken }, isLost: true };
    },
    statement: () => inTransaction(() => digests().startAttempts(PENDING_DIGEST, NOW)),
  },
  'delivering a digest': finishInDigest(OK, retrying),
  'retrying a digest': finishInDigest(REFUSED, retrying),
  'exhausting a digest': finishInDigest(REFUSED, exhausted),
  'pausing a digest': {
    applies: (shape) => shape.inDigest && isPending(shape),
    aggregate: (stored) => ({ fields: { ...pause(stored).fields, digestId: null } }),
    statement: () => inTransaction(() => digests().pause(PENDING_DIGEST)),
  },
};

describe('publishing', () => {
  it('stores what the aggregate is created as', async () => {
    const event = NotificationEvent.fromDomainEvent(anEvent({}, { accountId: table.accountId }));
    const delivery = Delivery.create(event, { id: 'nc_healthy', host: 'hooks.example' });
    await inTransaction(() => table.of(NotificationEventRepository).publish([event], [delivery]));
    expect(await table.read()).toEqual([{ ...delivery, log: [] }]);
  });
});

describe.each(Object.entries(TRANSITIONS))('%s', (_name, { applies, aggregate, statement }) => {
  it('stores what the aggregate becomes, and changes no other delivery', async () => {
    await fc.assert(
      fc.asyncProperty(DeliveryTable.shapes, async (shapes) => {
        const rows = await table.insert(shapes);
        const expected = rows.map((row) => {
          if (!applies(row.shape)) return row.snapshot();
          const { fields, attempt, isLost } = aggregate(row);
          row.changed = true;
          if (attempt) row.started = attempt;
          return row.snapshot(fields, attempt, isLost);
        });
        await statement(rows);
        expect(await table.read()).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });
});
