import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { PublicLink } from '../../platform/http/route-access.js';
import { ConfirmAddress } from './confirm-address.js';
import { respondWithPage, LINK_TOKEN, PAGE } from './link-page.js';

const QUESTION_PAGE = {
  title: 'Notifications about domain names by mail?',
  text: 'A Namewatch account wants to send its notifications to your address. It can only do so if you agree.',
  button: 'Yes, send them to me',
};
const DONE_PAGE = {
  title: 'Your address is confirmed',
  text: 'You will get notifications from now on. You can close this page.',
};

/** Anyone who has the mail may confirm. GET changes nothing, since programs follow links in mails. */
@ApiTags('Links in mails')
@Controller('confirm')
export class ConfirmController {
  constructor(private readonly confirm: ConfirmAddress) {}

  @Get(':token')
  @PublicLink()
  @ApiOperation({ operationId: 'askToConfirm', summary: 'Show the confirmation page' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'A page with a button. Changes nothing.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found')
  ask(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return respondWithPage(request, reply, () => {
      this.confirm.parseToken(token);
      return QUESTION_PAGE;
    });
  }

  @Post(':token')
  @HttpCode(200)
  @PublicLink()
  @ApiOperation({ operationId: 'confirm', summary: 'Confirm the address of a channel' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'The channel is active, unless it is inactive for another reason.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found', 'link_expired', 'payload_too_large', 'database_unavailable')
  agree(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return respondWithPage(request, reply, async () => {
      await this.confirm.run(token);
      return DONE_PAGE;
    });
  }
}
