import { Injectable, Logger } from '@nestjs/common';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';

/** @param accountId the account that caused the check, with account isolation; else null */
export type LookupCompletedListener = (
  name: DomainName,
  result: LookupResult,
  accountId: string | null,
) => Promise<void>;

/** Notified of the live lookup of a check before the check is answered. Modules subscribe at start-up. */
@Injectable()
export class LookupCompletedListeners {
  private readonly log = new Logger(LookupCompletedListeners.name);
  private readonly listeners: LookupCompletedListener[] = [];

  subscribe(listener: LookupCompletedListener): void {
    this.listeners.push(listener);
  }

  /** Never rejects: the result is right even if it could not be recorded. */
  async notify(name: DomainName, result: LookupResult, accountId: string | null = null): Promise<void> {
    const outcomes = await Promise.allSettled(
      this.listeners.map(async (listener) => listener(name, result, accountId)),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        this.log.error({ domain: name.ascii, err: outcome.reason as unknown }, 'check not recorded');
    }
  }
}
