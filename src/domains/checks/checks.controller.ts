import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { NAME_REFUSALS, REGISTRY_FAILURES } from '../../platform/http/errors/problem-catalogue.js';
import { CheckDomain } from './check-domain.js';
import { CheckResultPresenter } from './check-result-presenter.js';
import { CHECK_EXAMPLES, CheckQuery, CheckView } from './check.dto.js';
import { RegistryLookupError } from './registry-lookup-error.js';

@ApiTags('Domains')
@Controller('v1/domains')
export class ChecksController {
  constructor(
    private readonly checks: CheckDomain,
    private readonly presenter: CheckResultPresenter,
  ) {}

  @Get('check')
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'checkDomain', summary: 'Check whether a domain can be registered' })
  @ApiOkResponse({
    description: 'The status of the domain at its registry.',
    type: CheckView,
    examples: CHECK_EXAMPLES,
    headers: { Age: { description: 'Seconds since the registry was queried.', schema: { type: 'integer' } } },
  })
  @ApiProblems('invalid_request', ...NAME_REFUSALS, ...REGISTRY_FAILURES)
  async check(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() query: CheckQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CheckView> {
    const { domain, max_age: maxAgeSeconds, expand = [] } = query;
    const name = this.checks.parse(domain);
    const outcome = await this.checks.check(name, { accountId, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) });
    if (outcome.kind === 'failure') throw new RegistryLookupError(outcome, expand.includes('evidence'));
    void reply.header('age', outcome.ageSeconds);
    return this.presenter.toView(outcome, expand);
  }
}
