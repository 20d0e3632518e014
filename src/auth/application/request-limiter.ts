import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RequestAllowance, type RequestStanding, RequestTokens } from '../domain/local-token-pool.js';

interface Desk {
  readonly allowance: RequestAllowance;
  /** Who waits for the block that is under way. */
  waiting: number;
  filling: Promise<void> | null;
}

const ACCOUNTS_HELD = 10_000;

/** Admits the requests of accounts, as many in a minute as their plans grant, over all keys and processes. */
@Injectable()
export class RequestLimits {
  private readonly desks = new LRUCache<string, Desk>({ max: ACCOUNTS_HELD });

  constructor(private readonly tokens: RequestTokens) {}

  /**
   * @param limit requests in a minute, at least 1
   * @returns no promise when a token is in hand or none can be had: most requests wait for nothing
   */
  admit(accountId: string, limit: number): RequestStanding | Promise<RequestStanding> {
    const desk = this.deskOf(accountId, limit);
    const now = performance.now();
    const isAdmitted = desk.allowance.spend(now);
    if (!isAdmitted && !desk.allowance.isExhausted(now)) return this.wait(accountId, desk);
    if (desk.filling === null && desk.allowance.isLow(now)) void this.fill(accountId, desk);
    return desk.allowance.standing(isAdmitted, now);
  }

  private async wait(accountId: string, desk: Desk): Promise<RequestStanding> {
    desk.waiting += 1;
    try {
      for (;;) {
        await this.fill(accountId, desk);
        const now = performance.now();
        const isAdmitted = desk.allowance.spend(now);
        if (isAdmitted || desk.allowance.isExhausted(now)) return desk.allowance.standing(isAdmitted, now);
      }
    } finally {
      desk.waiting -= 1;
    }
  }

  private fill(accountId: string, desk: Desk): Promise<void> {
    desk.filling ??= this.take(accountId, desk).finally(() => (desk.filling = null));
    return desk.filling;
  }

  private async take(accountId: string, { allowance, waiting }: Desk): Promise<void> {
    const block = allowance.nextBlock(waiting, performance.now());
    allowance.receive(await this.tokens.take(accountId, allowance.limit, block), performance.now());
  }

  /** Another plan is another limit: what was known of the old one says nothing about it. */
  private deskOf(accountId: string, limit: number): Desk {
    const known = this.desks.get(accountId);
    if (known?.allowance.limit === limit) return known;
    const desk: Desk = { allowance: new RequestAllowance(limit), waiting: 0, filling: null };
    this.desks.set(accountId, desk);
    return desk;
  }
}
