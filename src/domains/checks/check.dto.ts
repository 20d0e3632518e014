import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type Expansion, EvidenceView, Expansions, LifecycleView } from './check-expansions.dto.js';
import { RecordView } from './record-view.js';
import { QueryIntegerField, TextField, UTC } from '../../platform/http/validation/fields.js';

const STATUSES = ['available', 'registered', 'expiring', 'pending_delete', 'reserved'] as const;

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

  @ApiProperty({ enum: STATUSES, example: 'available' })
  status: (typeof STATUSES)[number];

  @ApiProperty({
    ...{ type: 'string', format: 'date-time', nullable: true, example: null },
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
    ...{ type: RecordView, nullable: true },
    description:
      'With `expand=record`: what the registry says beside the status, never a contact. null unless the name is registered.',
  })
  record?: RecordView | null;
}

const CHECKED = '2026-11-21T02:00:00.000Z';
const example = (name: string, status: CheckView['status'], expiresAt: string | null) => ({
  summary: `${name}.test`,
  value: {
    ...{ domain: `${name}.test`, available: status === 'available', status },
    ...{ expires_at: expiresAt, checked_at: CHECKED },
  },
});

/** Answers for names of the sandbox. */
export const CHECK_EXAMPLES = {
  available: example('available', 'available', null),
  registered: example('registered', 'registered', '2028-01-01T00:00:00.000Z'),
  expiring: example('expiring', 'expiring', '2026-11-22T00:00:00.000Z'),
  pending_delete: example('pending-delete', 'pending_delete', '2028-01-01T00:00:00.000Z'),
  reserved: example('reserved', 'reserved', null),
};
