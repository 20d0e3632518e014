import { Injectable } from '@nestjs/common';

/** Deletes up to `limit` of what an account holds, in one short transaction. @returns how many */
export type RemoveSome = (accountId: string, limit: number) => Promise<number>;

export interface AccountPart {
  /** As a person reads it: `entries`. */
  readonly name: string;
  readonly removeSome: RemoveSome;
}

/** What accounts hold in other modules, which say while they start how it is deleted: in this order. */
@Injectable()
export class AccountParts {
  private readonly parts: AccountPart[] = [];

  add(...parts: readonly AccountPart[]): void {
    this.parts.push(...parts);
  }

  all(): readonly AccountPart[] {
    return this.parts;
  }
}
