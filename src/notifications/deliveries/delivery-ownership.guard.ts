import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { DeliveryReader } from './delivery-reader.repository.js';
import { DeliveryNotFound, WatchedEntryNotFound } from '../domain/notifications.errors.js';

export const DELIVERY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^dl_[0-9a-z]{26}$' },
  description: 'The `id` of a delivery: send a test event to a channel, or take one from the deliveries of a channel.',
} as const;

export const ENTRY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^wl_[0-9a-z]{26}$' },
  description: 'The `id` of an entry: take one from the list. That of a removed one works while its events are kept.',
} as const;

type DeliveryRequest = FastifyRequest<{ Params: { id: string } }> & {
  readonly caller: { account: { id: string } } | null;
};

/** Checks the id before the rest of the request: for a foreign delivery the answer is 404, whatever the request. */
@Injectable()
export class DeliveryOwnershipGuard implements CanActivate {
  constructor(private readonly pages: DeliveryReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<DeliveryRequest>();
    const isOwn = isId('dl', params.id) && (await this.pages.find(caller?.account.id ?? '', params.id)) !== null;
    if (!isOwn) throw new DeliveryNotFound();
    return true;
  }
}

/** The same for the entry that deliveries are about. */
@Injectable()
export class WatchedEntryGuard implements CanActivate {
  constructor(private readonly deliveries: DeliveryReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<DeliveryRequest>();
    const isOwn = isId('wl', params.id) && (await this.deliveries.knowsEntry(caller?.account.id ?? '', params.id));
    if (!isOwn) throw new WatchedEntryNotFound();
    return true;
  }
}
