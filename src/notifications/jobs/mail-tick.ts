import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RequestConfirmation } from '../application/email/request-confirmation.js';
import { ActivateWaitingChannels } from '../application/channels/activate-waiting-channels.js';
import { MailThrottle } from '../application/email/mail-throttle.js';
import { SendConfirmationMails } from '../application/email/send-confirmation-mails.js';
import { SendDigests } from '../application/email/send-digests.js';

/** Rare mail needs no queue: each worker looks for it straight in PostgreSQL, and what it misses another finds. */
@Injectable()
export class MailTick implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(MailTick.name);
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly confirmationMails: SendConfirmationMails,
    private readonly confirmations: RequestConfirmation,
    private readonly digests: SendDigests,
    private readonly throttle: MailThrottle,
    private readonly waitingChannels: ActivateWaitingChannels,
  ) {}

  @Interval(SECOND)
  sendConfirmationMails(): Promise<void> {
    return this.runExclusive('questions', () => this.confirmationMails.run(this.stopping.signal));
  }

  @Interval(SECOND)
  sendDigests(): Promise<void> {
    return this.runExclusive('digests', () => this.digests.run(this.stopping.signal));
  }

  @Interval(MINUTE)
  purgeConfirmations(): Promise<void> {
    return this.runExclusive('old questions', () => this.confirmations.purge());
  }

  @Interval(MINUTE)
  purgeQuotaWindows(): Promise<void> {
    return this.runExclusive('hours that are over', () => this.throttle.purge());
  }

  /** A relay is new only where a process starts with it; another one may still be adding channels without. */
  @Interval(MINUTE)
  activateChannels(): Promise<void> {
    return this.runExclusive('channels that wait for a relay', () => this.waitingChannels.run());
  }

  onApplicationBootstrap(): void {
    void this.activateChannels();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Never twice at a time; what fails is left to the next tick. */
  private runExclusive(name: string, work: () => Promise<void>): Promise<void> {
    const current = this.running.get(name);
    if (current || this.stopping.signal.aborted) return current ?? Promise.resolve();
    const started = work()
      .catch((error: unknown) => this.log.warn(`${name} wait for the next tick: ${(error as Error).message}`))
      .finally(() => this.running.delete(name));
    this.running.set(name, started);
    return started;
  }
}
