import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope } from '../../auth/views.js';
import { SECOND } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { type ListedCanary, type ListedRegistry, type ListedTld, ListRegistries } from './list-registries.js';
import {
  type CanaryView,
  REGISTRIES_EXAMPLES,
  RegistriesQuery,
  RegistriesView,
  type RegistryTldView,
  type RegistryView,
} from './registries.dto.js';

@ApiTags('Domains')
@Controller('v1/registries')
export class RegistriesController {
  constructor(private readonly registries: ListRegistries) {}

  @Get()
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'listRegistries', summary: 'List registries with their rate limits and health' })
  @ApiOkResponse({ description: 'One page, by operator.', type: RegistriesView, examples: REGISTRIES_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@Query() { page, per_page, tld, operator }: RegistriesQuery): Promise<RegistriesView> {
    const { rows, total } = await this.registries.page(page, per_page, {
      tld: tld?.toLowerCase(),
      operators: operator,
    });
    return { data: rows.map(toRegistryView), meta: { page, per_page, total } };
  }
}

function toRegistryView({ operator, tlds, budget, status, hours }: ListedRegistry): RegistryView {
  const { breaker, openSince, retryAt, blockedUntil } = status;
  return {
    operator,
    tlds: tlds.map(toTldView),
    budget: budget && { per_second: budget.perSecond, burst: budget.burst, concurrency: budget.concurrency },
    blocked_until: blockedUntil?.toISOString() ?? null,
    breaker: {
      state: breaker,
      since: openSince?.toISOString() ?? null,
      retry_at: retryAt?.toISOString() ?? null,
    },
    hours: hours.map(({ hour, answers, errors, seconds }) => ({
      ...{ hour: hour.toISOString(), answers, errors },
      average_ms: Math.round((seconds * SECOND) / Math.max(1, answers + errors)),
    })),
  };
}

function toTldView({ tld, source, server, publishesExpiry, canary }: ListedTld): RegistryTldView {
  return { tld, source, server, publishes_expiry: publishesExpiry, canary: canary && toCanaryView(canary) };
}

function toCanaryView({ domain, at, isFound }: ListedCanary): CanaryView {
  return { domain, observed_at: at.toISOString(), found: isFound };
}
