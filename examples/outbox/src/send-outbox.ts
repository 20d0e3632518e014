import { Injectable, Logger } from 'namewatch/nest';
import { BackgroundTask, Clock, TimeUnits } from 'namewatch';
import { MessageBus } from './message-bus.js';
import { type OutboxMessage, OutboxMessages } from './outbox-messages.js';
import { OutboxSettings } from './outbox-settings.js';

/** So many messages are on their way at a time, each of another entry. */
const BATCH_SIZE = 20;
/** More wait for the next run: each batch takes up to the time limit of a message, and all of them less than the run's. */
const MAX_BATCHES = 10;
const FIRST_DELAY_SECONDS = 5;

/**
 * Sends the messages at least once, and those of an entry in their order. One that fails is tried again after 5 seconds, then
 * 10, 20 and so on up to an hour.
 */
@Injectable()
export class SendOutbox extends BackgroundTask {
  readonly name = 'send';
  readonly intervalSeconds = 5;
  override readonly limitSeconds = 120;
  private readonly log = new Logger(SendOutbox.name);

  constructor(
    private readonly messages: OutboxMessages,
    private readonly bus: MessageBus,
    private readonly settings: OutboxSettings,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {
    super();
  }

  /** @throws Error when messages could not be sent, so that the service counts and logs it */
  async run(signal: AbortSignal): Promise<void> {
    await this.dropOverdue();
    const failures: Error[] = [];
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const due = await this.messages.findDue(this.clock.now(), BATCH_SIZE);
      const outcomes = await Promise.allSettled(due.map((message) => this.send(message, signal)));
      if (signal.aborted) return;
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
      failures.push(...reasons);
      if (reasons.length === outcomes.length) break; // none is due, or the bus is away
    }
    const [cause] = failures;
    if (cause) throw new Error(`${failures.length} messages are tried again later: ${cause.message}`, { cause });
  }

  private async send(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    try {
      await this.bus.send(message, signal);
    } catch (error) {
      if (!signal.aborted) await this.messages.postpone(message.eventId, this.nextAttemptAt(message));
      throw error;
    }
    // A process that dies here sends it again, with the same id.
    await this.messages.remove(message.eventId);
  }

  private nextAttemptAt({ failures }: OutboxMessage): Date {
    const delayMs = FIRST_DELAY_SECONDS * this.units.second * 2 ** failures;
    return new Date(this.clock.now().getTime() + Math.min(delayMs, this.units.hour));
  }

  /** A bus that is away for days must not fill the database. */
  private async dropOverdue(): Promise<void> {
    const { keepHours, maxMessages } = this.settings;
    const since = new Date(this.clock.now().getTime() - keepHours * this.units.hour);
    const dropped = await this.messages.dropOverdue(since, maxMessages);
    if (dropped > 0) this.log.error(`${dropped} messages were dropped: they could not be sent in time`);
  }
}
