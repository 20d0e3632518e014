import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SecretLinkLimiter } from '../../auth/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { problemStatus } from '../../platform/http/errors/problem.js';
import { accepts } from '../../platform/http/request.js';
import { Public } from '../../platform/http/route-access.js';
import { SecretAddresses } from '../addresses/secret-addresses.js';
import { CLIENT_PAGE_HEADERS, toRefusalPage } from './client-page.html.js';
import { ClientPages } from './client-pages.js';
import { ClientPageDataView } from './client-pages.dto.js';

/** Gives no reason, because a stranger must not learn whether an address ever existed. */
class ClientPageNotFound extends DomainError {
  constructor() {
    super(
      'not_found',
      'There is no page at this address: it has ended, or the address is mistyped. Ask for a new one.',
    );
  }
}

/** Limits per minute. The lower limit for a visitor keeps one visitor from blocking the page for all others. */
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
    if (address === null) throw this.limiter.refuse(ip, new ClientPageNotFound());
    await this.limiter.admit(`client page ${address.id} for ${ip}`, REQUESTS_OF_VISITOR);
    await this.limiter.admit(`client page ${address.id}`, REQUESTS_OF_PAGE);
    const page = await this.pages.read(address);
    if (page === null) throw this.limiter.refuse(ip, new ClientPageNotFound());
    return page;
  }
}
