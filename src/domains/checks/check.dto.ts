import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { INSTANT, QueryIntegerField, TextField, UTC } from '../../platform/http/validation/fields.js';
import {
  type Evidence,
  EVIDENCE_SOURCES,
  type EvidenceSource,
  MAX_EXCERPT_LENGTH,
  OUTCOMES,
} from '../domain/lookup/lookup-result.js';
import { CHECK_STATUSES, type CheckStatus } from '../domain/lifecycle/lifecycle.js';
import { toDsValue } from '../domain/record/record-values.js';
import { type RegistrationRecord, isTransferLocked } from '../domain/record/registration-record.js';

export const EXPANSIONS = ['lifecycle', 'evidence'] as const;
/** The optional sections of a check. Watchlist entries have their own list. */
const CHECK_EXPANSIONS = [...EXPANSIONS, 'record', 'entry'] as const;
export type Expansion = (typeof CHECK_EXPANSIONS)[number];

/** Parses a list such as `lifecycle,evidence`. Rejects a repeated parameter, which arrives as an array. */
export function Expansions(names: readonly string[] = CHECK_EXPANSIONS): PropertyDecorator {
  const message = `$property must be a comma-separated list of ${names.join(', ')}`;
  const description = `Optional sections to include, comma-separated: ${names.map((name) => `\`${name}\``).join(', ')}.`;
  const pattern = `^(${names.join('|')})(,(${names.join('|')}))*$`;
  return (target, property) => {
    Transform(({ value }) => (typeof value === 'string' ? value.split(',') : [value as unknown]))(target, property);
    IsIn(names, { each: true, message })(target, property);
    ApiPropertyOptional({ type: String, pattern, description })(target, property);
  };
}

const LATER = { ...INSTANT, example: '2026-11-26T02:00:00.000Z' } as const;

export class DropWindowView {
  @ApiProperty(LATER) earliest: string;
  @ApiProperty({ ...LATER, nullable: true }) likely: string | null;
  @ApiProperty({ ...LATER, nullable: true }) latest: string | null;
  @ApiProperty({
    description:
      'The rule or record behind it, with the source: `rule of <operator>:`, `release period <id>:`, `registry:`, its own record, or `list:`, the drop list.',
    example: 'rule of DENIC: redemption grace period of 30 days after deletion',
  })
  basis: string;
  @ApiProperty({ enum: ['high', 'medium', 'low'] }) confidence: 'high' | 'medium' | 'low';
}

export class LifecycleView {
  @ApiProperty({ example: 'pending_delete' }) phase: string;
  @ApiProperty({ type: [String], example: ['pending delete'], description: 'EPP statuses as RFC 8056 spells them.' })
  registry_statuses: string[];
  @ApiProperty({ ...LATER, nullable: true }) registered_at: string | null;
  @ApiProperty({ ...LATER, nullable: true }) expires_at: string | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether the registry publishes expiry dates.' })
  publishes_expiry: boolean | null;
  @ApiProperty({ enum: ['yes', 'premium', 'no', 'unknown'] }) registrable: 'yes' | 'premium' | 'no' | 'unknown';
  @ApiProperty({
    type: 'string',
    format: 'date',
    nullable: true,
    example: '2026-11-01',
    description: 'The day on which the registry renewed the name automatically; the holder may not have paid.',
  })
  auto_renewed_on: string | null;
  @ApiProperty({
    type: DropWindowView,
    nullable: true,
    description:
      'null unless the name is being deleted and the deletion rule of the registry is known, or its drop list has the name.',
  })
  drop_window: DropWindowView | null;
}

export class EvidenceView {
  @ApiProperty({
    enum: EVIDENCE_SOURCES,
    description: '`sandbox` simulates two protocols, which count as two witnesses. Extensions add sources.',
  })
  source: EvidenceSource;
  @ApiProperty({ example: 'rdap.registry.test' }) server: string;
  @ApiProperty({ enum: OUTCOMES }) outcome: Evidence['outcome'];
  @ApiProperty({ example: 'rdap.404', description: 'The rule that interpreted the answer.' }) rule: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 404 }) http_status: number | null;
  @ApiProperty(LATER) observed_at: string;
  @ApiProperty({ maxLength: MAX_EXCERPT_LENGTH, description: 'The decisive part of the answer, without contacts.' })
  excerpt: string;
}

export class RegistrarView {
  @ApiProperty({ type: String, nullable: true, example: 'Sandbox Registrar' }) name: string | null;
  @ApiProperty({ type: String, nullable: true, example: '9995', description: "In IANA's list of registrars." })
  iana_id: string | null;
}

export class DsRecordView {
  @ApiProperty({ type: 'integer', example: 12_345 }) key_tag: number;
  @ApiProperty({ type: 'integer', example: 13 }) algorithm: number;
  @ApiProperty({ type: 'integer', example: 2 }) digest_type: number;
  @ApiProperty({ example: '5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A' }) digest: string;
}

/** null means that the registry's answer does not state the value. An empty list means that there are no values. */
export class RecordView {
  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['ns1.sandbox.test', 'ns2.sandbox.test'],
    description: 'Name servers as A-labels, sorted. Empty: none. null: the answer does not say.',
  })
  nameservers: readonly string[] | null;
  @ApiProperty({ type: RegistrarView, nullable: true, description: 'The sponsoring registrar.' })
  registrar: RegistrarView | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['client transfer prohibited'],
    description: 'EPP statuses as RFC 8056 spells them, sorted.',
  })
  statuses: readonly string[] | null;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: true,
    description: 'Whether registrar or registry prohibit transfers; null where the registry has no EPP statuses.',
  })
  locked: boolean | null;
  @ApiProperty({ type: [DsRecordView], nullable: true, description: 'Empty: the delegation is not signed.' })
  ds: readonly DsRecordView[] | null;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: '2024-03-01T10:00:00.000Z' })
  last_transfer: string | null;
}

export function toRecordView(record: RegistrationRecord): RecordView {
  return {
    nameservers: record.nameservers,
    registrar: record.registrar && { name: record.registrar.name, iana_id: record.registrar.ianaId },
    statuses: record.statuses,
    locked: isTransferLocked(record.statuses),
    ds: record.ds?.map(toDsValue) ?? null,
    last_transfer: record.lastTransferAt?.toISOString() ?? null,
  };
}

export class CheckQuery {
  @TextField({ example: 'available.test', maxLength: 1_024, description: 'Fully qualified domain name.' })
  domain: string;

  @QueryIntegerField({
    minimum: 0,
    maximum: 86_400,
    description: 'Oldest acceptable answer, in seconds; 0 requires a live lookup, shared by requests within a second.',
    optional: true,
  })
  max_age?: number;

  @IsOptional()
  @Expansions()
  expand?: readonly Expansion[];
}

export class CheckView {
  @ApiProperty({ example: 'available.test', description: 'The domain that was checked, as its A-label.' })
  domain: string;

  @ApiProperty({ example: true, description: 'True when the domain can be registered.' })
  available: boolean;

  @ApiProperty({ enum: CHECK_STATUSES, example: 'available' })
  status: CheckStatus;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: null,
    description: "The registry's expiry date; null when it publishes none or the name is available. Never estimated.",
  })
  expires_at: string | null;

  @ApiProperty(UTC)
  checked_at: string;

  @ApiPropertyOptional({ type: LifecycleView, description: 'With `expand=lifecycle`.' })
  lifecycle?: LifecycleView;

  @ApiPropertyOptional({ type: [EvidenceView], description: 'With `expand=evidence`: what each server reported.' })
  evidence?: EvidenceView[];

  @ApiPropertyOptional({
    type: RecordView,
    nullable: true,
    description:
      'With `expand=record`: what the registry says beside the status, never a contact. null unless the name is registered.',
  })
  record?: RecordView | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    description:
      'With `expand=entry`, which needs `watchlist:read`: the id of your entry for this domain; null when it is not watched.',
  })
  entry_id?: string | null;
}

const CHECKED = '2026-11-21T02:00:00.000Z';
const example = (name: string, status: CheckView['status'], expiresAt: string | null) => ({
  summary: `${name}.test`,
  value: {
    domain: `${name}.test`,
    available: status === 'available',
    status,
    expires_at: expiresAt,
    checked_at: CHECKED,
  },
});

export const CHECK_EXAMPLES = {
  available: example('available', 'available', null),
  registered: example('registered', 'registered', '2028-01-01T00:00:00.000Z'),
  expiring: example('expiring', 'expiring', '2026-11-22T00:00:00.000Z'),
  pending_delete: example('pending-delete', 'pending_delete', '2028-01-01T00:00:00.000Z'),
  reserved: example('reserved', 'reserved', null),
};
