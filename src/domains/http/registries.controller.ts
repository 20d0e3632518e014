import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope } from '../../auth/index.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { type ListedRegistry, type ListedTld, Registries } from '../application/registries.js';
import type { CanaryVerdict } from '../domain/canary.js';
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
  constructor(private readonly registries: Registries) {}

  @Get()
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'listRegistries', summary: 'List whom this service asks, how often, and how they are' })
  @ApiOkResponse({ description: 'One page, by operator.', type: RegistriesView, examples: REGISTRIES_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@Query() { page, per_page, tld }: RegistriesQuery): Promise<RegistriesView> {
    const { rows, total } = await this.registries.page(page, per_page, tld?.toLowerCase());
    return { data: rows.map(registryView), meta: { page, per_page, total } };
  }
}

function registryView({ operator, tlds, budget, standing }: ListedRegistry): RegistryView {
  const { breaker, brokenSince, retryAt, blockedUntil } = standing;
  return {
    operator,
    tlds: tlds.map(tldView),
    budget: budget && { per_second: budget.perSecond, burst: budget.burst, concurrency: budget.concurrency },
    blocked_until: blockedUntil?.toISOString() ?? null,
    breaker: {
      state: breaker,
      since: brokenSince?.toISOString() ?? null,
      retry_at: retryAt?.toISOString() ?? null,
    },
  };
}

function tldView({ tld, source, server, publishesExpiry, canary }: ListedTld): RegistryTldView {
  return { tld, source, server, publishes_expiry: publishesExpiry, canary: canary && canaryView(canary) };
}

function canaryView({ isRight, observedAt, registered, unregistered }: CanaryVerdict): CanaryView {
  return { right: isRight, observed_at: observedAt.toISOString(), registered, unregistered };
}
