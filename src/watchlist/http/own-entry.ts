import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { EntryReader } from '../domain/entry-details.js';
import { EntryNotFound } from '../domain/watchlist.errors.js';

export const ENTRY_ID = {
  name: 'id',
  example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  description: 'Of the entry, as its creation and the list tell it.',
};

type OwnRequest = FastifyRequest<{ Params: { id: string } }> & { readonly caller: { account: { id: string } } | null };

/** Judges the id of a path before the rest is: who has no such entry is not told what is wrong with a request. */
@Injectable()
export class OwnEntry implements CanActivate {
  constructor(private readonly entries: EntryReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<OwnRequest>();
    const isOwn = isId('wl', params.id) && (await this.entries.exists(caller?.account.id ?? '', params.id));
    if (!isOwn) throw new EntryNotFound();
    return true;
  }
}
