import pg from 'pg';
import { after, Clock } from '../../../src/kernel/clock.js';
import type { DomainEvent } from '../../../src/kernel/domain-event.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { PublishEvents } from '../../../src/notifications/events/publish-events.js';
import { Deliver } from '../../../src/notifications/deliveries/deliver.js';
import type { ClaimedDelivery } from '../../../src/notifications/deliveries/attempt-context.js';
import { StartAttempts } from '../../../src/notifications/deliveries/start-attempts.js';
import { CONCURRENCY_LIMITS } from '../../../src/notifications/domain/delivery.js';
import { ChannelSenderRegistry } from '../../../src/notifications/index.js';
import { eventually } from '../eventually.js';
import { anEvent } from '../builders/notification-events.js';
import { ScriptedSender } from '../fakes/scripted-sender.js';
import { startTestService, type TestService } from './test-service.js';

/** A service that neither ticks nor works by itself: tests claim and deliver by hand, at the time they say. */
export class NotificationService {
  readonly sender = new ScriptedSender();
  private ahead = 0;

  private constructor(
    readonly service: TestService,
    readonly database: pg.Client,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<NotificationService> {
    const service = await startTestService({ ROLE: 'api', ...settings });
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    const notifications = new NotificationService(service, database);
    notifications.of(ChannelSenderRegistry).register(notifications.sender);
    const clock = notifications.of(Clock);
    const real = clock.now.bind(clock);
    clock.now = () => after(real(), notifications.ahead);
    return notifications;
  }

  of<Provider>(token: abstract new (...parameters: never[]) => Provider): Provider {
    return this.service.app.get<Provider>(token, { strict: false });
  }

  /** Moves business time on. Leases do not notice. */
  advance(milliseconds: number): void {
    this.ahead += milliseconds;
  }

  async openChannel(target: string, key?: string): Promise<string> {
    const body = { type: 'scripted', target };
    const call = { method: 'POST', path: '/v1/notifications', body, ...(key === undefined ? {} : { key }) };
    return String((await this.service.call(call)).body['id']);
  }

  /** Something that happens to an entry of the account now. */
  event(): DomainEvent {
    return anEvent({}, { accountId: this.service.account.id, at: this.of(Clock).now() });
  }

  async happens(...events: DomainEvent[]): Promise<void> {
    await this.of(UnitOfWork).run(() => this.of(PublishEvents).run(events));
  }

  claim(hosts?: readonly string[]): Promise<ClaimedDelivery[]> {
    return this.of(StartAttempts).claim(CONCURRENCY_LIMITS.total, hosts);
  }

  async deliver(claimed: ClaimedDelivery): Promise<void> {
    await this.of(Deliver).run(claimed);
  }

  /** Claims what is due and makes an attempt at each, as long as places become free for more. @returns how many */
  async deliverDue(): Promise<number> {
    let made = 0;
    for (;;) {
      const claims = await this.claim();
      if (claims.length === 0) return made;
      await Promise.all(claims.map((claim) => this.deliver(claim)));
      made += claims.length;
    }
  }

  /** As if their holders had died and the time had passed. */
  async endLeases(): Promise<void> {
    await this.database.query(`update delivery_leases set until = now()`);
  }

  async rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.database.query<Record<string, unknown>>(text, values)).rows;
  }

  /** Resolves when the query gives so many rows. */
  async until(text: string, values: unknown[], count: number): Promise<void> {
    await eventually(
      () => this.rows(text, values),
      (rows) => rows.length === count,
    );
  }

  async close(): Promise<void> {
    await this.database.end();
    await this.service.close();
  }
}
