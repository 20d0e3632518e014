import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { AskAddress } from '../application/ask-address.js';
import { MailQuestions } from '../application/mail-questions.js';

/** Rare mail needs no queue: each worker looks for it straight in PostgreSQL, and what it misses another finds. */
@Injectable()
export class MailTick implements OnModuleDestroy {
  private readonly log = new Logger(MailTick.name);
  private readonly running = new Map<string, Promise<void>>();
  private stopped = false;

  constructor(
    private readonly questions: MailQuestions,
    private readonly asked: AskAddress,
  ) {}

  @Interval(SECOND)
  mailQuestions(): Promise<void> {
    return this.alone('questions', () => this.questions.run());
  }

  @Interval(MINUTE)
  forgetQuestions(): Promise<void> {
    return this.alone('old questions', () => this.asked.forget());
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.running.values());
  }

  /** Never twice at a time; what fails is left to the next tick. */
  private alone(what: string, work: () => Promise<void>): Promise<void> {
    const under = this.running.get(what);
    if (under || this.stopped) return under ?? Promise.resolve();
    const begun = work()
      .catch((error: unknown) => this.log.warn(`${what} wait for the next tick: ${(error as Error).message}`))
      .finally(() => this.running.delete(what));
    this.running.set(what, begun);
    return begun;
  }
}
