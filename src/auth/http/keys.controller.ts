import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems } from '../../platform/http/api-problems.js';
import { POST_REFUSALS } from '../../platform/http/problem-groups.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { Administration } from '../application/administration.js';
import type { Caller } from '../application/authenticate.js';
import { READ_SCOPES } from '../domain/scope.js';
import { CurrentAccount } from './current-account.js';
import { keyView, listedKey } from './key-views.js';
import { IssuedKeyView, IssueKeyBody, KeysView } from './keys.dto.js';
import { OwnKey } from './own-key.js';
import { RequiresScope } from './requires-scope.js';

@ApiTags('Keys')
@Controller('v1/keys')
export class KeysController {
  constructor(private readonly administration: Administration) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'listKeys', summary: 'List the keys of the account that are not revoked' })
  @ApiOkResponse({ description: 'Without their texts.', type: KeysView })
  @ApiProblems()
  async list(@CurrentAccount() account: Caller['account']): Promise<KeysView> {
    const keys = await this.administration.keysOf(account.id);
    return { data: keys.filter(({ revokedAt }) => revokedAt === null).map(listedKey) };
  }

  @Post()
  @Idempotent()
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'issueKey', summary: 'Issue a key' })
  @ApiBody({ type: IssueKeyBody, examples: { reader: { value: { name: 'reader', scopes: ['watchlist:read'] } } } })
  @ApiCreatedResponse({ description: 'The key, shown this once.', type: IssuedKeyView })
  @ApiProblems(...POST_REFUSALS)
  async issue(
    @CurrentAccount() account: Caller['account'],
    @Body() { name, scopes, expires_at }: IssueKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyView> {
    const request = { accountId: account.id, name, scopes: scopes ?? READ_SCOPES, expiresAt: expires_at ?? null };
    const { key, issued } = await this.administration.issueKey(request);
    void reply.header('location', `/v1/keys/${issued.id}`);
    return { ...keyView(issued), key: key.text };
  }

  @Delete(':id')
  @UseGuards(OwnKey)
  @HttpCode(204)
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'revokeKey', summary: 'Take a key back' })
  @ApiParam({ name: 'id', example: 'key_01jd6z0v8q3m4n5p6r7s8t9vwx', description: 'Of the key.' })
  @ApiNoContentResponse({ description: 'Every process refuses it within a second.' })
  @ApiProblems('not_found')
  async revoke(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    await this.administration.revoke(id, account.id);
  }
}
