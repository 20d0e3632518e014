import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { MailConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/identifier.js';
import { parseInstant } from '../../kernel/instant.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { toAddressUrl } from '../addresses/address-url.js';
import { MAX_CLIENT_PAGES, SecretAddresses } from '../addresses/secret-addresses.js';
import {
  ClientPagesView,
  MadeClientPageView,
  MakeClientPageBody,
  toListedPageView,
  toPageView,
} from './client-pages.dto.js';

class NoSuchPage extends DomainError {
  /** @param id shown only if it looks like an id, since people may paste the secret of a page here */
  constructor(id: string) {
    super('not_found', `You have no client page ${isId('adr', id) ? id : 'of that id'}.`);
  }
}

@ApiTags('Watchlist')
@Controller('v1/client-pages')
export class ClientPagesController {
  constructor(
    private readonly addresses: SecretAddresses,
    private readonly clock: Clock,
    private readonly config: MailConfig,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listClientPages', summary: 'List the pages for clients that open, oldest first' })
  @ApiOkResponse({ description: 'All of them, without their addresses.', type: ClientPagesView })
  @ApiProblems()
  async list(@CurrentAccount() { id }: Caller['account']): Promise<ClientPagesView> {
    return { data: (await this.addresses.findAll(id, 'client_page')).map(toListedPageView) };
  }

  @Post()
  @Idempotent()
  @RequiresScope('watchlist:write')
  @ApiOperation({
    operationId: 'makeClientPage',
    summary: `Make a page for a client; an account may have ${MAX_CLIENT_PAGES} that open`,
    description:
      'Anyone with its address reads the names that have these tags: their state, expiry and next step, no notes and no ' +
      'tags. While no name has the tags, the page does not open.',
  })
  @ApiBody({
    type: MakeClientPageBody,
    examples: { acme: { value: { tags: ['acme'], title: 'Domain names of Acme' } } },
  })
  @ApiCreatedResponse({ description: 'The page with its address, shown this once.', type: MadeClientPageView })
  @ApiProblems('plan_limit_reached')
  async make(
    @CurrentAccount() { id }: Caller['account'],
    @Body() { tags, title, expires_at }: MakeClientPageBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MadeClientPageView> {
    const wanted = { tags, title: title ?? null, expiresAt: this.toFuture(expires_at) };
    const made = await this.addresses.make(id, 'client_page', wanted);
    return { ...toPageView(made), url: toAddressUrl(this.config, reply, `/pages/${made.secret}`) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'revokeClientPage', summary: 'Revoke a page for a client' })
  @ApiParam({
    name: 'id',
    schema: { type: 'string', pattern: '^adr_[0-9a-z]{26}$' },
    description: 'The `id` of a client page: make one, or take one from the list.',
  })
  @ApiNoContentResponse({ description: 'Its address opens nothing any more.' })
  @ApiProblems('not_found')
  async revoke(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    if (!(await this.addresses.revoke(account.id, 'client_page', id))) throw new NoSuchPage(id);
  }

  private toFuture(text: string | undefined): Date | null {
    const at = text === undefined ? null : parseInstant(text);
    if (at === null || at > this.clock.now()) return at;
    const message = 'expires_at must lie in the future';
    throw InvalidRequest.of([{ pointer: '/expires_at', code: 'invalid', message }]);
  }
}
