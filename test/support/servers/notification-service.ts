import pg from 'pg';
import { after, Clock } from '../../../src/kernel/clock.js';
import type { DomainEvent } from '../../../src/kernel/domain-event.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { PublishEvents } from '../../../src/notifications/events/publish-events.js';
import { type Batch, LeaseChannels } from '../../../src/notifications/deliveries/lease-channels.js';
import { ServeChannel } from '../../../src/notifications/deliveries/serve-channel.js';
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

  /** Leases channels and starts attempts at what is due there. */
  async claim(limit = 1_000): Promise<readonly Batch[]> {
    return (await this.of(LeaseChannels).claim(limit)).batches;
  }

  async deliver(batch: Batch): Promise<void> {
    await this.of(ServeChannel).run(batch);
  }

  /** Makes all attempts that are due, as long as places become free for more. @returns how many */
  async deliverDue(): Promise<number> {
    let made = 0;
    for (;;) {
      const { leased, batches } = await this.of(LeaseChannels).claim(1_000);
      if (leased === 0) return made;
      await Promise.all(batches.map((batch) => this.deliver(batch)));
      made += batches.reduce((sum, { started }) => sum + started.length, 0);
    }
  }

  /** As if their holders had died and the time had passed. */
  async endLeases(): Promise<void> {
    await this.database.query(`update channel_leases set until = now() where token is not null`);
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
