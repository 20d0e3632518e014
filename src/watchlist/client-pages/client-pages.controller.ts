import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount, SecretLinkLimiter } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { MailConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/identifier.js';
import { parseInstant } from '../../kernel/instant.js';
import { ApiProblems, ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { toPublicUrl } from '../../platform/http/request.js';
import { MAX_CLIENT_PAGES, SecretAddresses } from '../addresses/secret-addresses.js';
import {
  ClientPagesView,
  MadeClientPageView,
  MakeClientPageBody,
  toListedPageView,
  toPageView,
  ClientPageDataView,
} from './client-pages.dto.js';
import { problemStatus } from '../../platform/http/errors/problem.js';
import { accepts } from '../../platform/http/request.js';
import { Public } from '../../platform/http/route-access.js';
import { CLIENT_PAGE_HEADERS, toRefusalPage } from './client-page.html.js';
import { ClientPages } from './client-pages.js';

class NoSuchPage extends DomainError {
  /** Shows the id only if it looks like an id, because callers may send a page's secret by mistake. */
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
    return { ...toPageView(made), url: toPublicUrl(this.config, reply, `/pages/${made.secret}`) };
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

/** Gives no reason, because a stranger must not learn whether an address ever existed. */
class ClientPageNotFound extends DomainError {
  constructor() {
    super(
      'not_found',
      'There is no page at this address: it has ended, or the address is mistyped. Ask for a new one.',
    );
  }
}

/** Requests per minute. The lower limit for a visitor keeps one visitor from blocking the page for everybody. */
const REQUESTS_OF_VISITOR = 60;
const REQUESTS_OF_PAGE = 6_000;

const SECRET_PARAM = { name: 'secret', description: 'The secret of the address.' };

@ApiTags('Links')
@Controller('pages')
export class ClientPageController {
  constructor(
    private readonly addresses: SecretAddresses,
    private readonly pages: ClientPages,
    private readonly limiter: SecretLinkLimiter,
  ) {}

  @Get(':secret')
  @Public()
  @ApiOperation({ operationId: 'readClientPage', summary: 'Show the names of a client as a page' })
  @ApiParam(SECRET_PARAM)
  @ApiOkResponse({
    description:
      'A page without scripts, made anew every 30 seconds: state, expiry and next step of at most 1000 names.',
    content: { 'text/html': { schema: { type: 'string' } } },
  })
  @ApiPublicProblems('invalid_request', 'not_found', 'rate_limited', 'database_unavailable')
  async show(
    @Param('secret') secret: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    try {
      const { html } = await this.open(secret, request, reply);
      void reply.headers(CLIENT_PAGE_HEADERS).send(html);
    } catch (error) {
      if (!(error instanceof DomainError) || !accepts(request, 'text/html')) throw error;
      const { retry_after_seconds: wait } = error.details;
      if (typeof wait === 'number') void reply.header('retry-after', String(wait));
      void reply.status(problemStatus(error.code)).headers(CLIENT_PAGE_HEADERS).send(toRefusalPage(error.message));
    }
  }

  @Get(':secret/json')
  @Public()
  @ApiOperation({ operationId: 'readClientPageData', summary: 'Read the names of a client' })
  @ApiParam(SECRET_PARAM)
  @ApiOkResponse({ description: 'The same as the page shows.', type: ClientPageDataView })
  @ApiPublicProblems('invalid_request', 'not_found', 'rate_limited', 'database_unavailable')
  async read(
    @Param('secret') secret: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ClientPageDataView> {
    const { content } = await this.open(secret, request, reply);
    const { title, now, total, rows, months } = content;
    return {
      title,
      as_of: now.toISOString(),
      total,
      names: rows.map(({ domain, state, expiresAt, next }) => ({
        domain,
        state,
        expires_at: expiresAt?.toISOString() ?? null,
        next,
      })),
      expires_by_month: months.map(({ month, names }) => ({ month, names })),
    };
  }

  private async open(secret: string, { ip }: FastifyRequest, reply: FastifyReply) {
    void reply.header('x-robots-tag', 'noindex, nofollow');
    const address = await this.addresses.open(secret, 'client_page');
    if (address === null) throw await this.limiter.refuse(ip, new ClientPageNotFound());
    await this.limiter.admit(`client page ${address.id} for ${ip}`, REQUESTS_OF_VISITOR);
    await this.limiter.admit(`client page ${address.id}`, REQUESTS_OF_PAGE);
    const page = await this.pages.read(address);
    if (page === null) throw await this.limiter.refuse(ip, new ClientPageNotFound());
    return page;
  }
}
