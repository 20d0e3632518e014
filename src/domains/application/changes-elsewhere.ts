import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { SharedLooks } from '../domain/shared-looks.js';
import { RecentProofs } from './recent-proofs.js';

const EVERY = SECOND;
/** Looking back further than to the last time catches what was written then and became visible later. */
const LOOKING_BACK = 10 * SECOND;

/**
 * Forgets what another process found to have changed, so that a check agrees with a watch that a worker moved. A
 * process that could not ask for a while forgets everything.
 */
@Injectable()
export class ChangesElsewhere implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(ChangesElsewhere.name);
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | null = null;
  private askedAt = performance.now();

  constructor(
    private readonly shared: SharedLooks,
    private readonly recent: RecentProofs,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.hear(), EVERY).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.asking;
  }

  /** Never rejects, and never runs twice at once. */
  hear(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  private async ask(): Promise<void> {
    const asked = performance.now();
    if (asked - this.askedAt > LOOKING_BACK / 2) this.recent.forgetAll();
    if (this.recent.isEmpty) return void (this.askedAt = asked);
    try {
      for (const { domain, observedAt } of await this.shared.changes(LOOKING_BACK / SECOND))
        this.recent.forgetBefore(domain, observedAt);
      this.askedAt = asked;
    } catch (error) {
      this.log.warn(`what other processes found out is not known: ${(error as Error).message}`);
    }
  }
}
