import { Body, Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { requestProblem } from '../../platform/http/errors/problem.filter.js';
import { POST_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { IdempotentByClaim } from '../../platform/idempotency/idempotent.interceptor.js';
import type { CheckOutcome, CheckRequest } from './check-domain.js';
import { CheckMany, type InvalidName } from './check-many.js';
import { parseDomainLabel } from '../domain/name/domain-label.js';
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
import type { Expansion } from './check-expansions.dto.js';
import { CheckResultPresenter } from './check-result-presenter.js';
import { RegistryLookupError } from './registry-lookup-error.js';

@ApiTags('Domains')
@Controller('v1/domains')
export class BulkChecksController {
  constructor(
    private readonly checks: CheckMany,
    private readonly presenter: CheckResultPresenter,
  ) {}

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
  async check(
    @CurrentAccount() { id: accountId, plan }: Caller['account'],
    @Query() { max_age: maxAgeSeconds, expand = [] }: BulkCheckQuery,
    @Body() body: CheckManyBody,
    @Req() request: FastifyRequest,
  ): Promise<BulkCheckView> {
    const { field, domains } = toNames(body);
    plan.requireBulkSize(domains.length, field);
    const checkRequest: CheckRequest = { accountId, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) };
    const outcomes = await this.checks.run(domains, checkRequest);
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
    if (outcome.kind === 'result') return { result: this.presenter.toView(outcome, expand), error: null };
    const error =
      outcome.kind === 'refused' ? outcome.error : new RegistryLookupError(outcome, expand.includes('evidence'));
    const { errors, ...body } = requestProblem(error, request).body;
    // The name is an item of a list here, not a field.
    const pointed = Array.isArray(errors) && {
      errors: errors.map((one: object) => ({ ...one, pointer })),
    };
    return { result: null, error: { ...body, ...pointed } };
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
