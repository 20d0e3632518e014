import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyRequest, FastifyReply } from 'fastify';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Clock } from '../../kernel/clock.js';
import { isId } from '../../kernel/identifier.js';
import { AccountAdminService } from './account-admin.service.js';
import { type Caller, CurrentAccount, CurrentCaller, nameCaller } from '../caller/caller.js';
import { KeyNotFound } from '../domain/auth.errors.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { toPublicPath } from '../../platform/http/request.js';
import { pageLinks, PageQuery } from '../../platform/http/page.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { toKeyView, toListedKeyView, IssuedKeyView, IssueKeyBody, KeysView } from './keys.dto.js';
import { RequiresScope } from '../caller/scope-decorators.js';

const KEY_ID_PARAM = {
  name: 'id',
  schema: { type: 'string', pattern: '^key_[0-9a-z]{26}$' },
  description: 'The `id` of a key: issue one, or take one from the list of keys.',
} as const;

@ApiTags('Keys')
@Controller('v1/keys')
export class KeysController {
  constructor(
    private readonly accountAdmin: AccountAdminService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'listKeys', summary: 'List the keys of the account that are not revoked, oldest first' })
  @ApiOkResponse({ description: 'One page, without their texts.', type: KeysView })
  @ApiProblems()
  async list(
    @CurrentAccount() account: Caller['account'],
    @Query() { page, per_page }: PageQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeysView> {
    const position = { page, perPage: per_page, withRevoked: false };
    const { keys, total } = await this.accountAdmin.listKeys(account.id, position);
    void reply.header('link', pageLinks(request, { page, per_page, total }));
    return { data: keys.map(toListedKeyView), meta: { page, per_page, total } };
  }

  @Post()
  @Idempotent()
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'issueKey', summary: 'Issue a key; an account may have 25 that work' })
  @ApiBody({ type: IssueKeyBody, examples: { reader: { value: { name: 'reader', scopes: ['watchlist:read'] } } } })
  @ApiCreatedResponse({ description: 'The key, shown this once.', type: IssuedKeyView })
  @ApiProblems('plan_limit_reached')
  async issue(
    @CurrentCaller() { account, by }: Caller,
    @Body() { name, scopes, expires_at }: IssueKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyView> {
    this.assertInFuture(expires_at);
    const { key, issued } = await this.accountAdmin.issueKey({
      accountId: account.id,
      name,
      scopes: scopes ?? null,
      expiresAt: expires_at ?? null,
      issuedBy: nameCaller(by),
    });
    void reply.header('location', toPublicPath(reply, `/v1/keys/${issued.id}`));
    return { ...toKeyView(issued), key: key.text };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'revokeKey', summary: 'Take a key back' })
  @ApiParam(KEY_ID_PARAM)
  @ApiNoContentResponse({ description: 'Every process refuses it within a second.' })
  @ApiProblems('not_found')
  async revoke(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    if (!isId('key', id)) throw new KeyNotFound('of that id'); // hides the text, which may be a pasted key
    await this.accountAdmin.revoke(id, account.id);
  }

  /** Compares with the database's clock, because the same clock decides when the key expires. */
  private assertInFuture(expiresAt: Date | undefined): void {
    if (expiresAt === undefined || expiresAt > this.clock.now()) return;
    const message = 'expires_at must lie in the future';
    throw InvalidRequest.of([{ pointer: '/expires_at', code: 'invalid', message }]);
  }
}
