import { Injectable } from '@nestjs/common';

/** What plans limit, and modules hold. */
export type Counted = 'entries' | 'channels';
export type Count = (accountId: string) => Promise<number>;

/** How much an account holds of what its plan limits. Modules say how to count theirs while they start. */
@Injectable()
export class AccountUse {
  private readonly counts = new Map<Counted, Count>();

  countBy(what: Counted, count: Count): void {
    this.counts.set(what, count);
  }

  async of(accountId: string): Promise<Readonly<Record<Counted, number>>> {
    const [entries, channels] = await Promise.all([
      this.count('entries', accountId),
      this.count('channels', accountId),
    ]);
    return { entries, channels };
  }

  private count(what: Counted, accountId: string): Promise<number> {
    const count = this.counts.get(what);
    if (!count) throw new Error(`nobody counts ${what}`);
    return count(accountId);
  }
}
