import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { AccountUsage } from '../accounts/account-usage.js';
import type { Caller } from '../caller/caller.js';
import { WhoAmI } from './who-am-i.js';
import { AllowAnyScope } from '../caller/allow-any-scope.js';
import { CurrentCaller } from '../caller/current-account.js';
import { toCallerView, toLimitsView, MeView } from './me.dto.js';

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
  async me(@CurrentCaller() { account: { id, plan }, by, scopes }: Caller): Promise<MeView> {
    const [{ account, key }, usage] = await Promise.all([this.whoAmI.describe(id, by), this.usage.get(id)]);
    const about = { id, name: account.name, plan: plan.name, created_at: account.createdAt.toISOString() };
    return { account: about, limits: toLimitsView(plan.limits), use: usage, ...toCallerView({ by, scopes }, key) };
  }
}
