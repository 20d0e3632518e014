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

type OwnedRequest = FastifyRequest<{ Params: { id: string } }> & {
  readonly caller: { account: { id: string } } | null;
};

/** Checks the id before the rest of the request: for what is another account's the answer is 404, whatever the request. */
export abstract class OwnershipGuard implements CanActivate {
  /** @throws the problem that the account has no such thing */
  protected abstract requireOwn(accountId: string, id: string): Promise<unknown>;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<OwnedRequest>();
    await this.requireOwn(caller?.account.id ?? '', params.id);
    return true;
  }
}

@Injectable()
export class ChannelOwnershipGuard extends OwnershipGuard {
  constructor(private readonly channels: ChannelReader) {
    super();
  }

  protected requireOwn(accountId: string, id: string): Promise<ChannelDetails> {
    return requireOwnChannel(this.channels, accountId, id);
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
