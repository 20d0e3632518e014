import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { INSTANT } from '../../platform/http/validation/fields.js';
import { EVIDENCE_SOURCES, type EvidenceSource } from '../domain/lookup/lookup-result.js';

export const EXPANSIONS = ['lifecycle', 'evidence'] as const;
/** An entry shows its record in another way. */
const CHECK_EXPANSIONS = [...EXPANSIONS, 'record'] as const;
export type Expansion = (typeof CHECK_EXPANSIONS)[number];

/** `lifecycle,evidence`: comma-separated. A repeated parameter arrives as a list and is rejected. */
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
      'What it is computed from, with the source: `rule of <operator>:`, `release period <id>:` or `list:`, the drop list.',
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
    ...{ type: 'string', format: 'date', nullable: true, example: '2026-11-01' },
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
  @ApiProperty({ enum: ['found', 'absent', 'reserved', 'inconclusive'] })
  outcome: 'found' | 'absent' | 'reserved' | 'inconclusive';
  @ApiProperty({ example: 'rdap.404', description: 'The rule that interpreted the answer.' }) rule: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 404 }) http_status: number | null;
  @ApiProperty(LATER) observed_at: string;
  @ApiProperty({ maxLength: 500, description: 'The decisive part of the answer, without contacts.' })
  excerpt: string;
}
