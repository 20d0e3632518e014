import { ApiProperty, ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { parseInstant } from '../../kernel/instant.js';
import {
  CursorField,
  InstantField,
  QueryIntegerField,
  SINGLE_LINE_PATTERN,
  TextField,
  UTC,
} from '../../platform/http/validation/fields.js';
import {
  AUDIT_ACTION_FILTERS,
  AUDIT_ACTION_NAMES,
  EXTENSION_ACTION_PATTERN,
  EXTENSION_FILTER_PATTERN,
  isAuditActionFilter,
  OUR_SUBJECTS_PATTERN,
} from '../domain/audit-actions.js';
import {
  ACTOR_TYPES,
  type AuditAttributes,
  type AuditFilter,
  type AuditRecord,
  toAuditRecordView,
} from '../domain/audit-record.js';

const OF_EXTENSION = { type: 'string', not: { pattern: OUR_SUBJECTS_PATTERN } } as const;
const ID_FILTER = { minLength: 1, maxLength: 100, pattern: SINGLE_LINE_PATTERN, optional: true } as const;
const TEXT_OR_NULL = { type: 'string', nullable: true } as const;

const AUDIT_ACTION_SCHEMA = '#/components/schemas/AuditAction';

/** Adds the schema `AuditAction`, because the decorator of the field `action` can only refer to it by name. */
export function withAuditActions(document: OpenAPIObject): OpenAPIObject {
  const AuditAction = { type: 'string', enum: [...AUDIT_ACTION_NAMES], description: 'An action of Namewatch itself.' };
  return {
    ...document,
    components: { ...document.components, schemas: { ...document.components?.schemas, AuditAction } },
  };
}

function IsActionFilter(): PropertyDecorator {
  return ValidateBy(
    { name: 'isAuditActionFilter', validator: { validate: isAuditActionFilter } },
    { message: '$property must be an action of the audit trail, such as key.issued, or all that begin like key.*' },
  );
}

export class AuditQuery {
  @CursorField({ description: 'The `next` of the last page. Without it, from the oldest record.' })
  after?: string;

  @QueryIntegerField({ default: 100, minimum: 1, maximum: 1_000, description: 'Records per page.' })
  limit: number = 100;

  @ApiPropertyOptional({
    anyOf: [
      { type: 'string', enum: [...AUDIT_ACTION_FILTERS] },
      { ...OF_EXTENSION, pattern: EXTENSION_FILTER_PATTERN, description: 'Of an extension.' },
    ],
    description: 'Only this action, such as `key.issued`, or all that begin like `key.*`.',
  })
  @IsOptional()
  @IsActionFilter()
  action?: string;

  @TextField({
    minLength: 1,
    maxLength: 200,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only by this actor: its `id`, or a `type` of actors.',
    optional: true,
  })
  actor?: string;

  @TextField({ ...ID_FILTER, description: 'Only what was done to this: the `id` of an entry, for instance.' })
  target?: string;

  @TextField({ ...ID_FILTER, description: 'Only what this request did: its `X-Request-Id`.' })
  request?: string;

  @InstantField({ description: 'From this instant on.', optional: true })
  since?: string;

  @InstantField({ description: 'Before this instant.', optional: true })
  until?: string;
}

class ActorView {
  @ApiProperty({
    enum: ACTOR_TYPES,
    description:
      '`key`: an API key; `person`: somebody who signed in; `identity`: a caller that an extension recognized; `cli`: the operator, on the command line; ' +
      '`bootstrap`, `first-start`: the service as it was set up; `recipient`: anyone who has the link of a mail; ' +
      '`service`: the service by itself; `unknown`: a caller who was not recognized.',
  })
  type: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Of a key or a person, or the subject of an identity.' }) id:
    string | null;
  @ApiProperty({
    ...TEXT_OR_NULL,
    description:
      'The name that a key or a person had then. Of an identity, the extension that vouched for it, behind its name if it gave one: `Ann Lee (sso)`.',
  })
  name: string | null;
}

const ATTRIBUTES = { type: 'object', additionalProperties: true, nullable: true, selfRequired: false } as const;

export class AuditRecordView {
  @ApiProperty({ example: 'aud_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty(UTC) occurred_at: string;
  @ApiProperty({
    anyOf: [{ $ref: AUDIT_ACTION_SCHEMA }, { ...OF_EXTENSION, pattern: EXTENSION_ACTION_PATTERN }],
    example: 'key.issued',
    description: '`<what>.<verb>`; those of extensions begin with their name. New ones may be added.',
  })
  action: string;
  @ApiProperty({ type: ActorView }) actor: ActorView;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The id of what was changed.' }) target_id: string | null;
  @ApiProperty({
    ...TEXT_OR_NULL,
    description:
      'Of imports, and changes and removals of many: what all transactions of one have in common. Each has a record of its own.',
  })
  run_id: string | null;
  @ApiProperty({ ...ATTRIBUTES, description: 'The values before the change. Never a secret.' })
  before: AuditAttributes | null;
  @ApiProperty({ ...ATTRIBUTES, description: 'The values after the change. Never a secret.' })
  after: AuditAttributes | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: "The client's address, by the rules of TRUST_PROXY." })
  address: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The `X-Request-Id` of the response: ours, nobody can choose it.' })
  request_id: string | null;
  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The `X-Request-Id` that the client or a proxy sent: at most 100 characters, in ASCII.',
  })
  client_request_id: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'As the client sent it: at most 200 characters, in ASCII.' })
  user_agent: string | null;
}

class AuditMeta {
  @ApiProperty({ description: 'For `after` of the next request; never null, also on the last page.' }) next: string;
  @ApiProperty({ description: 'Whether more records are available now.' }) has_more: boolean;
}

export class AuditTrailView {
  @ApiProperty({ type: [AuditRecordView] }) data: AuditRecordView[];
  @ApiProperty({ type: AuditMeta }) meta: AuditMeta;
}

export function toFilter({ since, until, action, actor, target, request }: AuditQuery): AuditFilter {
  const toDate = (text: string | undefined) => (text === undefined ? undefined : (parseInstant(text) ?? undefined));
  return { action, actor, target, request, since: toDate(since), until: toDate(until) };
}

interface ViewedPage {
  readonly items: readonly AuditRecord[];
  readonly hasMore: boolean;
}

/** Hides the operator's login name from members of the account. @param next the encrypted position of the next page */
export function toAuditTrailView({ items, hasMore }: ViewedPage, next: string): AuditTrailView {
  const data = items.map(toAuditRecordView).map(({ actor, ...view }) => ({
    ...view,
    actor: actor.type === 'cli' ? { ...actor, name: null } : actor,
  }));
  return { data, meta: { next, has_more: hasMore } };
}

const CURSOR = 'k2PzV8m0qJ5dYxT7bWc4hN9rLfE1sGuA6iOoXvRtQnM';
const PAGE: ViewedPage = {
  items: [
    {
      id: 'aud_01jd6z0v8q3m4n5p6r7s8t9vwx',
      occurredAt: new Date('2026-11-21T02:00:00Z'),
      accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      action: 'key.issued',
      actor: { type: 'key', id: 'key_01jd6z0v8q3m4n5p6r7s8t9vwx', name: 'first' },
      targetId: 'key_01jd6z0v8q3m4n5p6r7s8t9vwy',
      before: null,
      after: { name: 'deploy', scopes: ['watchlist:read'], expires_at: null },
      address: '192.0.2.7',
      requestId: '01934b1e-0c1d-7a6b-8f4e-2f1d3c5b7a90',
      clientRequestId: null,
      userAgent: 'curl/8.11.0',
    },
  ],
  hasMore: false,
};

export const AUDIT_EXAMPLES = { issued: { summary: 'A key was issued', value: toAuditTrailView(PAGE, CURSOR) } };
