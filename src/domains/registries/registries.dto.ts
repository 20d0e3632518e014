import { ApiProperty } from '@nestjs/swagger';
import { type EvidenceSource, REGISTRY_SOURCES } from '../domain/lookup/lookup-result.js';
import { PageMeta, PageQuery } from '../../platform/http/page.js';
import { TextField, QueryTextListField, UTC } from '../../platform/http/validation/fields.js';

const NULLABLE_UTC = { ...UTC, nullable: true } as const;
const SOURCES = 'Where its names are looked up. Extensions add sources.';

export class RegistriesQuery extends PageQuery {
  @TextField({
    pattern: '^[A-Za-z0-9-]{1,63}$',
    expected: 'a top-level domain, such as com',
    description: 'Only the registry of this TLD, such as `test`, as its A-label.',
    optional: true,
  })
  tld?: string;

  @QueryTextListField({
    items: { minLength: 1, maxLength: 253 },
    maxItems: 100,
    description: 'Only these operators; repeat it for several.',
    optional: true,
  })
  operator?: string[];
}

export class CanaryView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'nic.test',
    description: 'The name; null where somebody looked it up.',
  })
  domain: string | null;
  @ApiProperty({ ...UTC, description: 'When the registry was asked about it.' }) observed_at: string;
  @ApiProperty({
    description: 'Whether the registry found this name. If not, no name of this TLD is available for ten minutes.',
  })
  found: boolean;
}

export class RegistryTldView {
  @ApiProperty({ example: 'test' }) tld: string;
  @ApiProperty({ enum: REGISTRY_SOURCES, description: SOURCES }) source: EvidenceSource;
  @ApiProperty({ example: 'rdap.registry.test' }) server: string;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether it publishes expiry dates; null: unknown.' })
  publishes_expiry: boolean | null;
  @ApiProperty({
    type: CanaryView,
    nullable: true,
    description: 'The last answer about a name that must exist; null: none was needed yet.',
  })
  canary: CanaryView | null;
}

export class BudgetView {
  @ApiProperty({ type: 'number', minimum: 0, example: 1, description: '0: no rate limit.' }) per_second: number;
  @ApiProperty({ type: 'integer', example: 5 }) burst: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'Simultaneous queries of each process.' })
  concurrency: number;
}

export class BreakerView {
  @ApiProperty({ enum: ['closed', 'open', 'half_open'], description: 'open: no queries after repeated failures.' })
  state: 'closed' | 'open' | 'half_open';
  @ApiProperty(NULLABLE_UTC) since: string | null;
  @ApiProperty({ ...NULLABLE_UTC, description: 'When one query is sent to probe the operator.' }) retry_at:
    string | null;
}

export class RegistryHourView {
  @ApiProperty({ ...UTC, description: 'When it began.' }) hour: string;
  @ApiProperty({ type: 'integer', example: 118 }) answers: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'Queries without an answer that can be used.' })
  errors: number;
  @ApiProperty({ type: 'integer', example: 140, description: 'How long a query took on average.' }) average_ms: number;
}

export class RegistryView {
  @ApiProperty({ example: 'sandbox', description: 'The operator of the servers of these TLDs.' }) operator: string;
  @ApiProperty({ type: [RegistryTldView] }) tlds: RegistryTldView[];
  @ApiProperty({ type: BudgetView, nullable: true, description: 'For all its TLDs and servers together.' })
  budget: BudgetView | null;
  @ApiProperty({ ...NULLABLE_UTC, description: 'From its Retry-After: no queries until then.' }) blocked_until:
    string | null;
  @ApiProperty({ type: BreakerView }) breaker: BreakerView;
  @ApiProperty({
    type: [RegistryHourView],
    description: 'Those of the last 24 in which it was asked, the oldest first. The last minute may be missing.',
  })
  hours: RegistryHourView[];
}

export class RegistriesView {
  @ApiProperty({ type: [RegistryView] }) data: RegistryView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

const SANDBOX: RegistryView = {
  operator: 'sandbox',
  tlds: [{ tld: 'test', source: 'sandbox', server: 'sandbox', publishes_expiry: true, canary: null }],
  budget: null,
  blocked_until: null,
  breaker: { state: 'closed', since: null, retry_at: null },
  hours: [],
};
const REGISTRY: RegistryView = {
  operator: 'registry.test',
  tlds: [
    {
      tld: 'test',
      source: 'rdap',
      server: 'rdap.registry.test',
      publishes_expiry: null,
      canary: {
        domain: 'nic.test',
        observed_at: '2026-11-21T02:00:00.000Z',
        found: true,
      },
    },
  ],
  budget: { per_second: 1, burst: 5, concurrency: 2 },
  blocked_until: '2026-11-21T02:01:00.000Z',
  breaker: { state: 'open', since: '2026-11-21T01:58:00.000Z', retry_at: '2026-11-21T02:00:30.000Z' },
  hours: [{ hour: '2026-11-21T01:00:00.000Z', answers: 118, errors: 6, average_ms: 140 }],
};

export const REGISTRIES_EXAMPLES = {
  page: {
    summary: 'The sandbox, and a registry in trouble',
    value: { data: [REGISTRY, SANDBOX], meta: { page: 1, per_page: 20, total: 2 } },
  },
};
