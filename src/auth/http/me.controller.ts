import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { AccountUse } from '../application/account-usage.js';
import type { Caller } from '../application/authenticate.js';
import { Identify } from '../application/who-am-i.js';
import { AnyKey } from './allow-any-scope.js';
import { CurrentAccount } from './current-account.js';
import { listedKey } from './key-views.js';
import { limitsView, MeView } from './me.dto.js';

@ApiTags('Keys')
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly identify: Identify,
    private readonly use: AccountUse,
  ) {}

  @Get()
  @AnyKey()
  @ApiOperation({ operationId: 'getMe', summary: 'Whose key this is, and what it may do' })
  @ApiOkResponse({ description: 'The account, its plan, what it holds, and the key.', type: MeView })
  @ApiProblems()
  async me(@CurrentAccount() { id, plan }: Caller['account'], @Req() { caller }: FastifyRequest): Promise<MeView> {
    const [{ account, key }, use] = await Promise.all([this.identify.run(id, caller?.keyId ?? ''), this.use.of(id)]);
    const about = { id, name: account.name, plan: plan.name, created_at: account.createdAt.toISOString() };
    return { account: about, limits: limitsView(plan.limits), use, key: listedKey(key) };
  }
}
