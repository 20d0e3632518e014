import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { AccountUsage } from '../application/account-usage.js';
import type { Caller } from '../application/authenticator.js';
import { WhoAmI } from '../application/who-am-i.js';
import { AllowAnyScope } from './allow-any-scope.js';
import { CurrentAccount } from './current-account.js';
import { toListedKeyView } from './key-views.js';
import { toLimitsView, MeView } from './me.dto.js';

@ApiTags('Keys')
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly whoAmI: WhoAmI,
    private readonly usage: AccountUsage,
  ) {}

  @Get()
  @AllowAnyScope()
  @ApiOperation({ operationId: 'getMe', summary: 'Whose key this is, and what it may do' })
  @ApiOkResponse({ description: 'The account, its plan, what it holds, and the key.', type: MeView })
  @ApiProblems()
  async me(@CurrentAccount() { id, plan }: Caller['account'], @Req() { caller }: FastifyRequest): Promise<MeView> {
    const [{ account, key }, usage] = await Promise.all([
      this.whoAmI.describe(id, caller?.keyId ?? ''),
      this.usage.get(id),
    ]);
    const about = { id, name: account.name, plan: plan.name, created_at: account.createdAt.toISOString() };
    return { account: about, limits: toLimitsView(plan.limits), use: usage, key: toListedKeyView(key) };
  }
}
