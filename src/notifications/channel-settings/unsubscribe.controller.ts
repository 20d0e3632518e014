import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { PublicLink } from '../../platform/http/route-access.js';
import { Unsubscribe } from './unsubscribe.js';
import { respondWithPage, LINK_TOKEN, PAGE } from './link-page.js';

const QUESTION_PAGE = {
  title: 'No more mails from Namewatch?',
  text:
    'One account will stop sending notifications to your mailbox, and can start again only if you agree. Mails of other ' +
    'accounts are not affected.',
  button: 'Unsubscribe',
};
const DONE_PAGE = {
  title: 'You are unsubscribed',
  text: 'This account sends no more notifications to your mailbox. You can close this page.',
};

/** Anyone who has a mail may unsubscribe. GET changes nothing, since programs follow links in mails. */
@ApiTags('Links in mails')
@Controller('u')
export class UnsubscribeController {
  constructor(private readonly unsubscribe: Unsubscribe) {}

  @Get(':token')
  @PublicLink()
  @ApiOperation({ operationId: 'askToUnsubscribe', summary: 'Show the unsubscribe page' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'A page with a button. Changes nothing.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found')
  ask(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return respondWithPage(request, reply, () => {
      this.unsubscribe.parseToken(token);
      return QUESTION_PAGE;
    });
  }

  /** The body of RFC 8058 needs no parsing. */
  @Post(':token')
  @HttpCode(200)
  @PublicLink()
  @ApiOperation({ operationId: 'unsubscribe', summary: 'End the mails of a channel (RFC 8058 one-click)' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'Unsubscribed, now or before.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found', 'payload_too_large', 'database_unavailable')
  end(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return respondWithPage(request, reply, async () => {
      await this.unsubscribe.run(token);
      return DONE_PAGE;
    });
  }
}
