import { Injectable } from '@nestjs/common';

type LimitedResource = 'entries' | 'channels';
export type CountedResource = LimitedResource | 'failing_channels';
export type CountResource = (accountId: string) => Promise<number>;

/** Counts what an account has, such as entries and channels. Each module registers its own counter at start. */
@Injectable()
export class AccountUsage {
  private readonly counts = new Map<CountedResource, CountResource>();

  registerCounter(resource: CountedResource, count: CountResource): void {
    this.counts.set(resource, count);
  }

  async get(accountId: string): Promise<Readonly<Record<LimitedResource, number>>> {
    const [entries, channels] = await Promise.all([
      this.count('entries', accountId),
      this.count('channels', accountId),
    ]);
    return { entries, channels };
  }

  count(resource: CountedResource, accountId: string): Promise<number> {
    const count = this.counts.get(resource);
    if (!count) throw new Error(`no counter registered for ${resource}`);
    return count(accountId);
  }
}
