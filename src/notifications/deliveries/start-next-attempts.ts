import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import { type Claim, CONCURRENCY_LIMITS, type SucceededAttempt } from '../domain/delivery.js';
import { sendsDigests } from '../domain/message-quota.js';
import { type ClaimedDelivery, type StartOptions, AttemptStarter } from './attempt-starter.repository.js';
import type { AttemptContext } from './attempt-context.js';
import { RefillingHosts } from './refilling-hosts.js';

export interface NextAttempts {
  /** Stored, and about to be made. */
  readonly started: readonly AttemptContext[];
  /** To be started by `StartAttempts`: mails and chats are throttled, and what cannot be sent is paused or postponed. */
  readonly claims: readonly Claim[];
}

interface AfterSuccesses {
  /** The tokens of the attempts whose deliveries were marked. */
  readonly delivered: ReadonlySet<string>;
  readonly next: NextAttempts;
}

interface StartContext extends StartOptions {
  readonly leasedAt: number;
}

/** Claims what hosts have room for, and starts these attempts in the same statement. */
@Injectable()
export class StartNextAttempts {
  constructor(
    private readonly starter: AttemptStarter,
    private readonly senders: ChannelSenderRegistry,
    private readonly refilling: RefillingHosts,
    private readonly clock: Clock,
  ) {}

  async run(hosts: readonly string[]): Promise<NextAttempts> {
    const context = this.context();
    const claimed = await this.starter.claimAndStart(hosts, context);
    this.refilling.remove(hosts, context.leasedAt);
    return this.toNext(claimed, context);
  }

  /** The same, and in one transaction marks these deliveries delivered, whose slots at their hosts become free. */
  async runAfter(succeeded: readonly SucceededAttempt[], hosts: readonly string[]): Promise<AfterSuccesses> {
    const context = this.context();
    const { delivered, claimed } = await this.starter.finishAndStart(succeeded, hosts, context);
    this.refilling.remove(hosts, context.leasedAt);
    return { delivered, next: this.toNext(claimed, context) };
  }

  private context(): StartContext {
    const types = this.senders.all().flatMap((sender) => (sendsDigests(sender) ? [] : [sender.type]));
    return { now: this.clock.now(), limit: CONCURRENCY_LIMITS.total, types, leasedAt: performance.now() };
  }

  private toNext(claimed: readonly ClaimedDelivery[], { now, leasedAt }: StartContext): NextAttempts {
    const started: AttemptContext[] = [];
    const claims: Claim[] = [];
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
