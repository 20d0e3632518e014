import { Injectable } from '@nestjs/common';
import { PlanCatalogue } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { EntryBatch, type LockedEntry } from '../entries/entry-batch.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { type AccountToFollow, FollowedAccountRepository } from './followed-accounts.repository.js';

const BATCH_SIZE = 200;

/** Reschedules the checks of an account's watched names after its suspension or its plan's minimum interval changed. */
@Injectable()
export class FollowAccounts {
  constructor(
    private readonly accounts: FollowedAccountRepository,
    private readonly entries: WatchEntryRepository,
    private readonly batches: EntryBatch,
    private readonly plans: PlanCatalogue,
    private readonly schedule: CheckSchedule,
    private readonly clock: Clock,
  ) {}

  /** Idempotent, and safe in several processes. @returns how many names were rescheduled */
  async run(signal?: AbortSignal): Promise<number> {
    const byPlan = new Map(this.plans.all().map((plan) => [plan.name, plan.shortestIntervalMinutes]));
    const fallback = this.plans.default.shortestIntervalMinutes;
    let scheduled = 0;
    for (const account of await this.accounts.findToFollow({ byPlan, fallback })) {
      scheduled += await this.follow(account, signal);
      if (signal?.aborted) break;
      await this.accounts.noteFollowed(account);
    }
    return scheduled;
  }

  private async follow(account: AccountToFollow, signal?: AbortSignal): Promise<number> {
    let scheduled = 0;
    let domains: string[] = [];
    do {
      domains = await this.entries.findDomains(account.id, domains.at(-1) ?? '', BATCH_SIZE);
      scheduled += await this.batches.change(account.id, domains, (locked) => {
        for (const one of locked) if (!one.entry.paused) this.scheduleOne(one, account);
      });
    } while (domains.length === BATCH_SIZE && !signal?.aborted);
    return scheduled;
  }

  private scheduleOne(
    { entry, name, othersMinutes }: LockedEntry,
    { minimumMinutes, isSuspended, isResumed }: AccountToFollow,
  ): void {
    const now = this.clock.now();
    const own = Math.max(entry.intervalMinutes, minimumMinutes);
    if (isResumed) entry.catchUp(now);
    if (isResumed) name.addWatcher(own, now);
    name.setRequiredInterval([othersMinutes, isSuspended ? null : own], this.schedule, now);
  }
}
