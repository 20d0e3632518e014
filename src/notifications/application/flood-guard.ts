import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { Clock, HOUR } from '../../kernel/clock.js';
import { MailDigests } from '../domain/mail-digests.js';
import { MailHours } from '../domain/mail-hour.js';
import { MailSender } from '../domain/mail-sender.js';
import type { Undertaking } from './undertaking.js';

type Prospect = Pick<Undertaking, 'delivery' | 'sender'>;

/**
 * Keeps mailboxes from being flooded: what is too much in an hour waits for its end. Called inside the transaction that
 * begins attempts, whose deliveries are held.
 */
@Injectable()
export class FloodGuard {
  /** Milliseconds. */
  private readonly hour: number;

  constructor(
    private readonly hours: MailHours,
    private readonly digests: MailDigests,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.hour = HOUR / timeScale;
  }

  /** @returns those that may go out now; the others were given back, to go out in a digest. */
  async admit<P extends Prospect>(prospects: readonly P[]): Promise<readonly P[]> {
    const mails = Map.groupBy(prospects.filter(isNewMail), ({ delivery }) => delivery.channelId);
    const held = new Set(prospects.filter(isInDigest).map(({ delivery }) => delivery.id));
    if (held.size > 0) await this.digests.giveBack([...held]);
    // In one order for everybody, so that nobody waits in a circle.
    for (const [channelId, theirs] of [...mails].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const id of await this.holdExcess(channelId, theirs)) held.add(id);
    return prospects.filter(({ delivery }) => !held.has(delivery.id));
  }

  /** Counts what goes out whatever the hour: the digest itself. */
  async count(channelId: string): Promise<void> {
    const hour = await this.hours.locked(channelId, this.clock.now(), this.hour);
    await this.hours.save({ ...hour, mails: hour.mails + 1 });
  }

  /** Any number of processes may do this at once. */
  forget(): Promise<void> {
    return this.hours.forget(this.clock.now());
  }

  private async holdExcess(channelId: string, mails: readonly Prospect[]): Promise<readonly string[]> {
    const now = this.clock.now();
    const limit = Math.min(...mails.map(({ sender }) => (sender as MailSender).messagesAnHour));
    const hour = await this.hours.locked(channelId, now, this.hour);
    const room = Math.min(mails.length, Math.max(0, limit - hour.mails));
    const excess = mails.slice(room).map(({ delivery }) => delivery.id);
    const digestId = excess.length === 0 ? hour.digestId : (hour.digestId ?? randomUUID());
    await this.hours.save({ ...hour, mails: hour.mails + room, digestId });
    if (digestId !== null && excess.length > 0)
      await this.digests.hold(excess, { id: digestId, channelId, dueAt: hour.endsAt }, now);
    return excess;
  }
}

/** What failed before was counted then, and while nothing can be sent, nobody is flooded. */
function isNewMail({ delivery, sender }: Prospect): boolean {
  return delivery.failures === 0 && delivery.digestId === null && sender instanceof MailSender && sender.isReady;
}

function isInDigest({ delivery }: Prospect): boolean {
  return delivery.digestId !== null;
}
