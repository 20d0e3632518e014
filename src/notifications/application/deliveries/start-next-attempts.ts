import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { ChannelSenderRegistry } from '../../domain/channels/channel-sender.js';
import { type Claim, CONCURRENCY_LIMITS } from '../../domain/deliveries/delivery.js';
import { sendsDigests } from '../../domain/digests/digest-sender.js';
import { AttemptStarter } from '../ports/attempt-starter.js';
import type { AttemptContext } from './attempt-context.js';

interface NextAttempts {
  /** Stored, and about to be made. */
  readonly started: readonly AttemptContext[];
  /** To be started by `StartAttempts`: mails and chats are throttled, and what cannot be sent is paused or postponed. */
  readonly claims: readonly Claim[];
}

/** Claims what hosts have room for, and starts these attempts in the same statement. */
@Injectable()
export class StartNextAttempts {
  constructor(
    private readonly starter: AttemptStarter,
    private readonly senders: ChannelSenderRegistry,
    private readonly clock: Clock,
  ) {}

  async run(hosts: readonly string[]): Promise<NextAttempts> {
    const leasedAt = performance.now();
    const now = this.clock.now();
    const types = this.senders.all().flatMap((sender) => (sendsDigests(sender) ? [] : [sender.type]));
    const started: AttemptContext[] = [];
    const claims: Claim[] = [];
    const claimed = await this.starter.claimAndStart(hosts, { now, limit: CONCURRENCY_LIMITS.total, types });
    for (const { claim, started: one } of claimed) {
      if (one === null) claims.push(claim);
      else {
        const sender = this.senders.get(one.channel.type);
        started.push({ ...one, claim, sender, leasedAt, attempt: one.delivery.currentAttempt(now) });
      }
    }
    return { started, claims };
  }
}
