import { Controller, Get, Query, Res, Body, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiBody, ApiExtraModels } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { NAME_REFUSALS, REGISTRY_FAILURES, POST_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { CheckDomain, type CheckOutcome, type CheckResult } from './check-domain.js';
import { RegistryLookupError, toCheckView } from './check-views.js';
import { CHECK_EXAMPLES, CheckQuery, CheckView, type Expansion } from './check.dto.js';
import { Clock } from '../../kernel/clock.js';
import { ListedDrops } from '../drop-lists/drop-list-source.js';
import { requestProblem } from '../../platform/http/errors/problem.filter.js';
import { IdempotentByClaim } from '../../platform/idempotency/idempotent.interceptor.js';
import { CheckMany, type InvalidName } from './check-many.js';
import { parseDomainLabel } from '../domain/name/domain-name.js';
import {
  BULK_BODY_EXAMPLES,
  BULK_BODY_SCHEMA,
  BULK_EXAMPLES,
  BulkCheckBody,
  type BulkCheckItem,
  BulkCheckQuery,
  BulkCheckView,
  CheckManyBody,
  LabelCheckBody,
} from './bulk-check.dto.js';

@ApiTags('Domains')
@Controller('v1/domains')
export class ChecksController {
  constructor(
    private readonly checks: CheckDomain,
    private readonly bulkChecks: CheckMany,
    private readonly listedDrops: ListedDrops,
    private readonly clock: Clock,
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
    const outcome = await this.checks.check(name, { accountId, maxAgeSeconds });
    if (outcome.kind === 'failure') throw new RegistryLookupError(outcome, expand.includes('evidence'));
    void reply.header('age', outcome.ageSeconds);
    return this.toView(outcome, expand);
  }

  @Post('check')
  @IdempotentByClaim()
  @HttpCode(200)
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'checkDomains', summary: 'Check whether many domains can be registered' })
  @ApiExtraModels(BulkCheckBody, LabelCheckBody)
  @ApiBody({ schema: BULK_BODY_SCHEMA, examples: BULK_BODY_EXAMPLES })
  @ApiOkResponse({
    description: 'A result or a problem for each name, within 25 seconds for all of them.',
    type: BulkCheckView,
    examples: BULK_EXAMPLES,
  })
  @ApiProblems(...POST_REFUSALS, 'too_many_domains', 'domain_malformed', 'label_too_long')
  async checkMany(
    @CurrentAccount() { id: accountId, plan }: Caller['account'],
    @Query() { max_age: maxAgeSeconds, expand = [] }: BulkCheckQuery,
    @Body() body: CheckManyBody,
    @Req() request: FastifyRequest,
  ): Promise<BulkCheckView> {
    const { field, domains } = toNames(body);
    plan.requireBulkSize(domains.length, field);
    const outcomes = await this.bulkChecks.run(domains, { accountId, maxAgeSeconds });
    const data = domains.map((domain, at) => {
      const outcome = outcomes[at];
      if (!outcome) throw new Error(`no outcome for ${domain}`);
      return { domain, ...this.toItem(outcome, `/${field}/${at}`, expand, request) };
    });
    const failed = data.filter(({ error }) => error !== null).length;
    return { data, meta: { total: data.length, answered: data.length - failed, failed } };
  }

  private toItem(
    outcome: CheckOutcome | InvalidName,
    pointer: string,
    expand: readonly Expansion[],
    request: FastifyRequest,
  ): Omit<BulkCheckItem, 'domain'> {
    if (outcome.kind === 'result') return { result: this.toView(outcome, expand), error: null };
    const error =
      outcome.kind === 'refused' ? outcome.error : new RegistryLookupError(outcome, expand.includes('evidence'));
    const { errors, ...body } = requestProblem(error, request).body;
    // The name is an item of a list here, not a field.
    const pointed = Array.isArray(errors) && {
      errors: errors.map((one: object) => ({ ...one, pointer })),
    };
    return { result: null, error: { ...body, ...pointed } };
  }

  private toView(result: CheckResult, expand: readonly Expansion[]): CheckView {
    return toCheckView(result, expand, this.clock.now(), this.listedDrops.find(result.name.ascii));
  }
}

/**
 * The names to check, and the field whose items they are.
 * @throws InvalidDomainNameError when the label is none
 */
function toNames({ domains, label = '', tlds = [] }: CheckManyBody): { field: string; domains: readonly string[] } {
  if (domains) return { field: 'domains', domains };
  parseDomainLabel(label);
  return { field: 'tlds', domains: tlds.map((tld) => `${label.trim()}.${tld}`) };
}
