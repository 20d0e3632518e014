import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { EntryReader } from './entry-reader.repository.js';
import { HistoryRepository } from '../records/history.repository.js';
import { EntryNotFound } from '../domain/watch-entry.js';

export const ENTRY_ID_PARAM = {
  name: 'id',
  schema: { type: 'string', pattern: '^wl_[0-9a-z]{26}$' },
  description: 'The `id` of an entry: add one, or take one from the list.',
} as const;

type EntryRequest = FastifyRequest<{ Params: { id: string } }> & {
  readonly caller: { account: { id: string } } | null;
};

/** Checks the entry before the rest of the request: another account's entry is 404, whatever else is invalid. */
abstract class OwnershipGuard implements CanActivate {
  constructor(private readonly owned: Pick<EntryReader, 'exists'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<EntryRequest>();
    const isOwner = isId('wl', params.id) && (await this.owned.exists(caller?.account.id ?? '', params.id));
    if (!isOwner) throw new EntryNotFound();
    return true;
  }
}

/** Lets pass who watches the name. */
@Injectable()
export class EntryOwnershipGuard extends OwnershipGuard {
  constructor(entries: EntryReader) {
    super(entries);
  }
}

/** Lets pass who watches the name, or watched it not too long ago. */
@Injectable()
export class HistoryOwnershipGuard extends OwnershipGuard {
  constructor(history: HistoryRepository) {
    super(history);
  }
}
