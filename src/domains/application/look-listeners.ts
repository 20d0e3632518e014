import { Injectable, Logger } from '@nestjs/common';
import type { DomainName } from '../domain/domain-name.js';
import type { Look } from '../domain/look.js';

/**
 * Told of a look, before the person who asked is answered.
 * @param asker the account that asked, where accounts are isolated from each other; else null
 */
export type LookListener = (name: DomainName, look: Look, asker: string | null) => Promise<void>;

/** Whoever wants to know what a person's check found out. Modules subscribe while they start. */
@Injectable()
export class LookListeners {
  private readonly log = new Logger(LookListeners.name);
  private readonly listeners: LookListener[] = [];

  subscribe(listener: LookListener): void {
    this.listeners.push(listener);
  }

  /** Never rejects: what the registry said is right, whether or not it could be written down. */
  async tell(name: DomainName, look: Look, asker: string | null = null): Promise<void> {
    const told = await Promise.allSettled(this.listeners.map(async (listener) => listener(name, look, asker)));
    for (const outcome of told) {
      if (outcome.status === 'rejected')
        this.log.error({ domain: name.ascii, err: outcome.reason as unknown }, 'a check was not recorded');
    }
  }
}
