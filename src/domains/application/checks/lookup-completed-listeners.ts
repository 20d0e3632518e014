import { Injectable, Logger } from '@nestjs/common';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupResult } from '../../domain/lookup/lookup-result.js';

/**
 * Told of a look, before the person who asked is answered.
 * @param asker the account that asked, where accounts are isolated from each other; else null
 */
export type LookupCompletedListener = (
  name: DomainName,
  result: LookupResult,
  accountId: string | null,
) => Promise<void>;

/** Whoever wants to know what a person's check found out. Modules subscribe while they start. */
@Injectable()
export class LookupCompletedListeners {
  private readonly log = new Logger(LookupCompletedListeners.name);
  private readonly listeners: LookupCompletedListener[] = [];

  subscribe(listener: LookupCompletedListener): void {
    this.listeners.push(listener);
  }

  /** Never rejects: what the registry said is right, whether or not it could be written down. */
  async notify(name: DomainName, result: LookupResult, accountId: string | null = null): Promise<void> {
    const outcomes = await Promise.allSettled(
      this.listeners.map(async (listener) => listener(name, result, accountId)),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        this.log.error({ domain: name.ascii, err: outcome.reason as unknown }, 'a check was not recorded');
    }
  }
}
