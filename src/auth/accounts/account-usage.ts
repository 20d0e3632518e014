import { Injectable } from '@nestjs/common';

/** Resources limited by plans. */
export type CountedResource = 'entries' | 'channels';
export type CountResource = (accountId: string) => Promise<number>;

/** How much of its plan an account uses. Modules register their counters at start. */
@Injectable()
export class AccountUsage {
  private readonly counts = new Map<CountedResource, CountResource>();

  registerCounter(resource: CountedResource, count: CountResource): void {
    this.counts.set(resource, count);
  }

  async get(accountId: string): Promise<Readonly<Record<CountedResource, number>>> {
    const [entries, channels] = await Promise.all([
      this.count('entries', accountId),
      this.count('channels', accountId),
    ]);
    return { entries, channels };
  }

  private count(resource: CountedResource, accountId: string): Promise<number> {
    const count = this.counts.get(resource);
    if (!count) throw new Error(`no counter registered for ${resource}`);
    return count(accountId);
  }
}
