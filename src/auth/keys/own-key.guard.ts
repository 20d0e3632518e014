import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { AccountAdminService } from '../accounts/account-admin.service.js';
import type { Caller } from '../caller/caller.js';
import { KeyNotFound } from '../domain/auth.errors.js';

export const KEY_ID_PARAM = {
  name: 'id',
  schema: { type: 'string', pattern: '^key_[0-9a-z]{26}$' },
  description: 'The `id` of a key: issue one, or take one from the list of keys.',
} as const;

type OwnRequest = FastifyRequest<{ Params: { id: string } }> & { readonly caller: Caller | null };

/** Checks the id in the path first: another account's key is 404 before the request is validated. */
@Injectable()
export class OwnKeyGuard implements CanActivate {
  constructor(private readonly accountAdmin: AccountAdminService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, params } = context.switchToHttp().getRequest<OwnRequest>();
    if (!isId('key', params.id)) throw new KeyNotFound('of that id'); // never repeats a pasted key
    if (!(await this.accountAdmin.hasKey(params.id, caller?.account.id ?? ''))) throw new KeyNotFound(params.id);
    return true;
  }
}
