import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { buildMessage, IsDate, ValidateBy } from 'class-validator';
import { parseInstant } from '../../kernel/instant.js';
import { PageMeta } from '../../platform/http/page.js';
import {
  INSTANT,
  Optional,
  VISIBLE_LINE,
  TextField,
  TextListField,
  UTC,
} from '../../platform/http/validation/fields.js';
import { isPossibleScope, type Scope, SCOPES } from '../domain/scope.js';
import type { ListedKey } from '../domain/api-key.js';

const MAYBE_UTC = { ...INSTANT, nullable: true, example: null } as const;

/** Accepts Namewatch's scopes, and texts in the form of an extension's scope. Unknown scopes are refused later. */
const IsPossibleScope = () =>
  ValidateBy(
    {
      name: 'isIn',
      validator: {
        validate: isPossibleScope,
        defaultMessage: buildMessage(
          (each) => `${each}$property must be one of the following values: ${SCOPES.join(', ')}`,
          { each: true },
        ),
      },
    },
    { each: true },
  );

export class IssueKeyBody {
  @TextField({
    example: 'deploy',
    minLength: 1,
    maxLength: 100,
    ...VISIBLE_LINE,
    description: 'Its use, for people.',
  })
  name: string;

  @TextListField({
    minItems: 1,
    uniqueItems: true,
    example: ['watchlist:read'],
    description: 'The rights of the key; without `scopes`, all that read except `audit:read`.',
    items: { enum: SCOPES },
    optional: true,
  })
  @IsPossibleScope()
  scopes?: Scope[];

  @ApiPropertyOptional({
    ...INSTANT,
    example: '2027-01-31T00:00:00.000Z',
    description: 'Until when it works; without it, until it is revoked.',
  })
  @Optional()
  @Transform(({ value }) => (typeof value === 'string' ? (parseInstant(value) ?? value) : (value as unknown)))
  @IsDate({ message: 'expires_at must be an ISO 8601 instant such as 2027-01-31T00:00:00Z' })
  expires_at?: Date;
}

class KeyView {
  @ApiProperty({ example: 'key_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'deploy' }) name: string;
  @ApiProperty({ enum: SCOPES, isArray: true, example: ['watchlist:read'] }) scopes: readonly Scope[];
  @ApiProperty(MAYBE_UTC) expires_at: string | null;
  @ApiProperty(UTC) created_at: string;
}

export class IssuedKeyView extends KeyView {
  @ApiProperty({ example: 'nw_01jd6z0v8q3m4n5p6r7s8t9vwx_…', description: 'The key itself, shown this once.' })
  key: string;
}

export class ListedKeyView extends KeyView {
  @ApiProperty({ ...MAYBE_UTC, description: 'Noted about once a minute.' }) last_used_at: string | null;
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'cli',
    description:
      '`cli`, `bootstrap`, `first-start`, the id of the key that issued it, or `<extension>:<subject>` of a caller without a key; null when it is not known.',
  })
  issued_by: string | null;
}

export class KeysView {
  @ApiProperty({ type: [ListedKeyView] }) data: ListedKeyView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

export function toKeyView({
  id,
  name,
  scopes,
  expiresAt,
  createdAt,
}: Omit<ListedKey, 'lastUsedAt' | 'revokedAt'>): KeyView {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { id, name, scopes, expires_at, created_at: createdAt.toISOString() };
}

export function toListedKeyView(key: ListedKey): ListedKeyView {
  return { ...toKeyView(key), last_used_at: key.lastUsedAt?.toISOString() ?? null, issued_by: key.issuedBy };
}
