import { Injectable } from '@nestjs/common';

/** Deletes up to `limit` records of an account in one short transaction. @returns how many */
type DeleteBatch = (accountId: string, limit: number) => Promise<number>;

export interface AccountDataKind {
  /** Shown to administrators, such as `entries`. */
  readonly name: string;
  readonly deleteBatch: DeleteBatch;
}

/** Account data of other modules, which register at start how to delete it; deleted in registration order. */
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
