import { describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { after, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { accepted, Attempt, type AttemptOutcome, failed } from '../../../../src/notifications/domain/attempt.js';
import { Delivery } from '../../../../src/notifications/domain/delivery.js';
import { NotificationEvent } from '../../../../src/notifications/domain/notification-event.js';
import { nextAttemptAt, RetrySchedule } from '../../../../src/notifications/domain/retry-schedule.js';
import { anEvent, MONDAY } from '../../../support/builders/notification-events.js';

const schedule = RetrySchedule.forWebhooks(TimeUnits.REAL, () => 0.5);
const aDelivery = () => Delivery.create(NotificationEvent.fromDomainEvent(anEvent()), { id: 'nc_1' });
const refused = failed('connect');
const finish = (delivery: Delivery, outcome: AttemptOutcome) => {
  const startedAt = delivery.nextAttemptAt ?? MONDAY;
  delivery.finishAttempt(outcome, { startedAt }, (failures) => nextAttemptAt(outcome, schedule, failures, MONDAY));
};

describe('the delivery of a notification', () => {
  it('is pending and due at once after it is created', () => {
    expect(aDelivery()).toMatchObject({ state: 'pending', nextAttemptAt: MONDAY, attempts: 0, failures: 0 });
    expect(aDelivery().urgent).toBe(true);
  });

  it('fails for good after the tenth failed attempt', () => {
    const delivery = aDelivery();
    for (let n = 1; n < 10; n += 1) {
      finish(delivery, refused);
      expect(delivery.state).toBe('pending');
    }
    finish(delivery, refused);
    expect(delivery).toMatchObject({ state: 'failed', nextAttemptAt: null });
  });

  it.each([
    ['410 Gone', failed('http_error', { responseStatus: 410, final: true })],
    ['a recipient that does not exist', failed('mail_rejected', { responseStatus: 550, final: true })],
    ['mail that is not configured', failed('mail_not_configured', { final: true, fault: 'service' })],
  ])('fails for good at its first attempt because of %s', (_what, outcome) => {
    const delivery = aDelivery();
    finish(delivery, outcome);
    expect(delivery).toMatchObject({ state: 'failed', nextAttemptAt: null });
  });

  it('stays pending and counts no failures while the encryption key of Namewatch is missing', () => {
    const delivery = aDelivery();
    for (let n = 0; n < 20; n += 1) finish(delivery, failed('connect', { fault: 'service', isForWantOfKey: true }));
    expect(delivery).toMatchObject({ state: 'pending', failures: 0, nextAttemptAt: after(MONDAY, 5 * MINUTE) });
  });

  it('is not retried if it is paused during an attempt that fails', () => {
    const delivery = aDelivery();
    delivery.pause();
    finish(delivery, refused);
    expect(delivery).toMatchObject({ state: 'paused', nextAttemptAt: null });
  });

  it.each([accepted(200, 'ok'), refused, failed('http_error', { responseStatus: 410, final: true })])(
    'stays due if a redelivery is requested during an attempt, even if that attempt ends with %j',
    (outcome) => {
      const delivery = aDelivery();
      delivery.pause();
      delivery.redeliver(after(MONDAY, SECOND));
      delivery.finishAttempt(outcome, { startedAt: MONDAY }, () => null);
      expect(delivery).toMatchObject({ state: 'pending', nextAttemptAt: after(MONDAY, SECOND), failures: 0 });
    },
  );

  it('counts as delivered if it is paused during an attempt that succeeds', () => {
    const delivery = aDelivery();
    delivery.pause();
    finish(delivery, accepted(200, 'ok'));
    expect(delivery.state).toBe('delivered');
  });
});

describe('an attempt to deliver a notification', () => {
  it('starts without an outcome, and keeps its number and start time when it ends', () => {
    const begun = Attempt.start('dl_1', 3, MONDAY);
    expect(begun).toMatchObject({ number: 3, outcome: null, durationMs: null });
    const ended = begun.finish(failed('http_error', { responseStatus: 503, responseExcerpt: 'busy' }), 120);
    expect(ended).toMatchObject({ number: 3, startedAt: MONDAY, outcome: 'http_error', durationMs: 120 });
    expect(ended).toMatchObject({ responseStatus: 503, responseExcerpt: 'busy' });
  });
});
