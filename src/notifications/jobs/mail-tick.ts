import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { AskAddress } from '../application/email/request-confirmation.js';
import { ChannelsWithoutRelay } from '../application/channels/activate-waiting-channels.js';
import { FloodGuard } from '../application/email/mail-throttle.js';
import { MailQuestions } from '../application/email/send-confirmation-mails.js';
import { SendDigests } from '../application/email/send-digests.js';

/** Rare mail needs no queue: each worker looks for it straight in PostgreSQL, and what it misses another finds. */
@Injectable()
export class MailTick implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(MailTick.name);
  private readonly running = new Map<string, Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    private readonly questions: MailQuestions,
    private readonly asked: AskAddress,
    private readonly digests: SendDigests,
    private readonly floodGuard: FloodGuard,
    private readonly withoutRelay: ChannelsWithoutRelay,
  ) {}

  @Interval(SECOND)
  mailQuestions(): Promise<void> {
    return this.alone('questions', () => this.questions.run(this.ending.signal));
  }

  @Interval(SECOND)
  sendDigests(): Promise<void> {
    return this.alone('digests', () => this.digests.run(this.ending.signal));
  }

  @Interval(MINUTE)
  forgetQuestions(): Promise<void> {
    return this.alone('old questions', () => this.asked.forget());
  }

  @Interval(MINUTE)
  forgetHours(): Promise<void> {
    return this.alone('hours that are over', () => this.floodGuard.forget());
  }

  /** A relay is new only where a process starts with it; another one may still be adding channels without. */
  @Interval(MINUTE)
  activateChannels(): Promise<void> {
    return this.alone('channels that wait for a relay', () => this.withoutRelay.run());
  }

  onApplicationBootstrap(): void {
    void this.activateChannels();
  }

  async onModuleDestroy(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.running.values());
  }

  /** Never twice at a time; what fails is left to the next tick. */
  private alone(what: string, work: () => Promise<void>): Promise<void> {
    const under = this.running.get(what);
    if (under || this.ending.signal.aborted) return under ?? Promise.resolve();
    const begun = work()
      .catch((error: unknown) => this.log.warn(`${what} wait for the next tick: ${(error as Error).message}`))
      .finally(() => this.running.delete(what));
    this.running.set(what, begun);
    return begun;
  }
}
