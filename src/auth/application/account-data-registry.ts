import { Injectable } from '@nestjs/common';

/** Deletes up to `limit` of what an account holds, in one short transaction. @returns how many */
export type DeleteBatch = (accountId: string, limit: number) => Promise<number>;

export interface AccountDataKind {
  /** As a person reads it: `entries`. */
  readonly name: string;
  readonly deleteBatch: DeleteBatch;
}

/** What accounts hold in other modules, which say while they start how it is deleted: in this order. */
@Injectable()
export class AccountDataRegistry {
  private readonly kinds: AccountDataKind[] = [];

  add(...kinds: readonly AccountDataKind[]): void {
    this.kinds.push(...kinds);
  }

  all(): readonly AccountDataKind[] {
    return this.kinds;
  }
}
