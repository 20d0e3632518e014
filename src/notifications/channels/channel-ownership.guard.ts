import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { type ChannelDetails, ChannelReader } from './channel-reader.repository.js';
import { ChannelNotFound } from '../domain/notifications.errors.js';

export const CHANNEL_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^nc_[0-9a-z]{26}$' },
  description: 'The `id` of a channel: add one, or take one from the list of channels.',
} as const;

type ChannelRequest = FastifyRequest<{ Params: { id: string } }> & {
  readonly caller: { account: { id: string } } | null;
};

/** Checks the id before the body is validated: for a foreign channel the answer is 404, whatever the body. */
@Injectable()
export class ChannelOwnershipGuard implements CanActivate {
  constructor(private readonly channels: ChannelReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<ChannelRequest>();
    await requireOwnChannel(this.channels, caller?.account.id ?? '', params.id);
    return true;
  }
}

/** @throws ChannelNotFound */
export async function requireOwnChannel(
  channels: ChannelReader,
  accountId: string,
  id: string,
): Promise<ChannelDetails> {
  const details = isId('nc', id) ? await channels.find(accountId, id) : null;
  if (!details) throw new ChannelNotFound();
  return details;
}
