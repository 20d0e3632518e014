import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount, SecretLinkLimiter } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { MailConfig } from '../../config/sections.js';
import { DomainError } from '../../kernel/domain-error.js';
import { ApiProblems, ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { Public } from '../../platform/http/route-access.js';
import { ChoiceField, QueryTextListField, UTC } from '../../platform/http/validation/fields.js';
import { type Purpose, PURPOSES, MAX_TAGS } from '../domain/entry-settings.js';
import { SOUGHT_TAG } from '../entries/entry-settings.dto.js';
import { SecretAddresses } from '../addresses/secret-addresses.js';
import { toPublicUrl } from '../../platform/http/request.js';
import { CalendarService } from './calendar.service.js';

class CalendarAddressView {
  @ApiProperty({ description: 'Whether there is an address. It is shown when it is made, and never again.' })
  active: boolean;
  @ApiProperty({ ...UTC, nullable: true }) created_at: string | null;
  @ApiProperty({ ...UTC, nullable: true, example: null, description: 'Noted about once a minute.' })
  last_used_at: string | null;
}

class MadeCalendarAddressView {
  @ApiProperty({
    format: 'uri-reference',
    example: 'https://namewatch.example.test/calendar/nwcal_secret.ics',
    description:
      'The address for a calendar program, shown this once; without a `PUBLIC_URL` its path. Add `?tag=` (repeatable: all ' +
      'must match) or `?purpose=` to narrow it down.',
  })
  url: string;
  @ApiProperty(UTC) created_at: string;
}

class CalendarQuery {
  @QueryTextListField({
    items: SOUGHT_TAG,
    maxItems: MAX_TAGS,
    description: 'Only names with this tag; repeat it to require several tags.',
    optional: true,
  })
  tag?: string[];

  @ChoiceField({ enum: PURPOSES, description: 'Only names that are watched for this.', optional: true })
  purpose?: Purpose;
}

@ApiTags('Watchlist')
@Controller('v1/calendar')
export class CalendarAddressController {
  constructor(
    private readonly addresses: SecretAddresses,
    private readonly config: MailConfig,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'getCalendarAddress', summary: 'Say whether the account has a calendar address' })
  @ApiOkResponse({ description: 'Without the address.', type: CalendarAddressView })
  @ApiProblems()
  async show(@CurrentAccount() { id }: Caller['account']): Promise<CalendarAddressView> {
    const [address] = await this.addresses.findAll(id, 'calendar');
    return {
      active: address !== undefined,
      created_at: address?.createdAt.toISOString() ?? null,
      last_used_at: address?.lastUsedAt?.toISOString() ?? null,
    };
  }

  @Post()
  @Idempotent()
  @RequiresScope('watchlist:write')
  @ApiOperation({
    operationId: 'makeCalendarAddress',
    summary: 'Make a calendar address; the former one ends',
    description:
      'Anyone with this address reads the account’s names with their dates, tags and notes, until you revoke it.',
  })
  @ApiCreatedResponse({ description: 'The address, shown this once.', type: MadeCalendarAddressView })
  @ApiProblems()
  async make(
    @CurrentAccount() { id }: Caller['account'],
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MadeCalendarAddressView> {
    const { secret, createdAt } = await this.addresses.make(id, 'calendar');
    return {
      url: toPublicUrl(this.config, reply, `/calendar/${secret}.ics`),
      created_at: createdAt.toISOString(),
    };
  }

  @Delete()
  @HttpCode(204)
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'revokeCalendarAddress', summary: 'Revoke the calendar address' })
  @ApiNoContentResponse({ description: 'There is none now.' })
  @ApiProblems()
  async revoke(@CurrentAccount() { id }: Caller['account']): Promise<void> {
    await this.addresses.revoke(id, 'calendar');
  }
}

class CalendarNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is no calendar at this address: it was revoked, replaced, or mistyped.');
  }
}

/** How often an account's calendar may be fetched. A calendar program fetches a calendar at most every few minutes. */
const REQUESTS_PER_MINUTE = 30;

@ApiTags('Links')
@Controller('calendar')
export class CalendarController {
  constructor(
    private readonly service: CalendarService,
    private readonly addresses: SecretAddresses,
    private readonly limiter: SecretLinkLimiter,
  ) {}

  @Get(':file')
  @Public()
  @ApiOperation({ operationId: 'readCalendar', summary: 'Read the dates of an account as a calendar (RFC 5545)' })
  @ApiParam({
    name: 'file',
    example: 'nwcal_….ics',
    description: 'The last part of the address: its secret and `.ics`.',
  })
  @ApiOkResponse({
    description: 'Expiries, renewals, names in grace or redemption, and possible drops; at most 2000 names.',
    content: { 'text/calendar': { schema: { type: 'string' } } },
  })
  @ApiPublicProblems('invalid_request', 'not_found', 'rate_limited', 'database_unavailable')
  async read(
    @Param('file') file: string,
    @Query() { tag: tags, purpose }: CalendarQuery,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const address = await this.addresses.open(file.replace(/\.ics$/, ''), 'calendar');
    if (address === null) throw await this.limiter.refuse(ip, new CalendarNotFound());
    const { accountId } = address;
    await this.limiter.admit(`calendar of ${accountId}`, REQUESTS_PER_MINUTE);
    void reply.header('content-type', 'text/calendar; charset=utf-8');
    return this.service.readFile(accountId, { tags, purpose });
  }
}
