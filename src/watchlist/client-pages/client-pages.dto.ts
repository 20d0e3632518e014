import { ApiProperty } from '@nestjs/swagger';
import { MAX_TAGS } from '../domain/entry-settings.js';
import { SOUGHT_TAG } from '../entries/entry-settings.dto.js';
import { InstantField, TextField, TextListField, UTC, VISIBLE_LINE } from '../../platform/http/validation/fields.js';
import type { SecretAddress } from '../addresses/secret-addresses.repository.js';

export class MakeClientPageBody {
  @TextListField({
    items: SOUGHT_TAG,
    minItems: 1,
    maxItems: MAX_TAGS,
    example: ['acme'],
    description: 'The page shows the names that have all of these tags. The page does not show the tags.',
  })
  tags: string[];

  @TextField({
    minLength: 1,
    maxLength: 100,
    ...VISIBLE_LINE,
    example: 'Domain names of Acme',
    description: 'The heading of the page. Without one it is “Domain names”.',
    optional: true,
  })
  title?: string;

  @InstantField({
    example: '2027-11-28T00:00:00Z',
    description: 'When the page ends, in the future. Without one it opens until you revoke it.',
    optional: true,
  })
  expires_at?: string;
}

const MAYBE = { nullable: true, example: null } as const;

class ClientPageView {
  @ApiProperty({ example: 'adr_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ type: String, ...MAYBE, example: 'Domain names of Acme' }) title: string | null;
  @ApiProperty({ type: [String], example: ['acme'] }) tags: readonly string[];
  @ApiProperty(UTC) created_at: string;
  @ApiProperty({ ...UTC, ...MAYBE }) expires_at: string | null;
}

class ListedClientPageView extends ClientPageView {
  @ApiProperty({ type: 'integer', example: 12, description: 'In how many minutes somebody opened it.' }) opened: number;
  @ApiProperty({ type: String, format: 'date', ...MAYBE, description: 'The day, in UTC.' })
  last_opened_on: string | null;
}

export class ClientPagesView {
  @ApiProperty({ type: [ListedClientPageView] }) data: ListedClientPageView[];
}

export class MadeClientPageView extends ClientPageView {
  @ApiProperty({
    format: 'uri-reference',
    example: 'https://namewatch.example.test/pages/nwpage_secret',
    description: 'The address for your client, shown this once; without a `PUBLIC_URL` its path.',
  })
  url: string;
}

class ClientNameView {
  @ApiProperty({ example: 'expiring.test' }) domain: string;
  @ApiProperty({ example: 'Registered', description: 'In words, which may change.' }) state: string;
  @ApiProperty({ ...UTC, ...MAYBE }) expires_at: string | null;
  @ApiProperty({ example: 'Renew it before it expires', description: 'In words, which may change.' }) next: string;
}

class ClientMonthView {
  @ApiProperty({ example: '2026-12', description: 'In UTC.' }) month: string;
  @ApiProperty({ type: 'integer', example: 11 }) names: number;
}

export class ClientPageDataView {
  @ApiProperty({ example: 'Domain names of Acme' }) title: string;
  @ApiProperty(UTC) as_of: string;
  @ApiProperty({ type: 'integer', example: 59, description: 'All names, also those beyond the first 1000.' })
  total: number;
  @ApiProperty({ type: [ClientNameView], description: 'At most 1000, the soonest expiry first.' })
  names: ClientNameView[];
  @ApiProperty({ type: [ClientMonthView], description: 'What expires in this month and in the next eleven.' })
  expires_by_month: ClientMonthView[];
}

export function toPageView({ id, title, tags, createdAt, expiresAt }: SecretAddress): ClientPageView {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { id, title, tags, created_at: createdAt.toISOString(), expires_at };
}

export function toListedPageView(page: SecretAddress): ListedClientPageView {
  const day = page.lastUsedAt?.toISOString().slice(0, 10) ?? null;
  return { ...toPageView(page), opened: page.opened, last_opened_on: day };
}
