import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../kernel/domain-error.js';
import { ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { problemStatus } from '../../platform/http/errors/problem.js';
import { pageContentSecurityPolicy } from '../../platform/http/hooks/security-headers.js';
import { PublicLink } from '../../platform/http/route-access.js';
import { MailLinks } from '../email/mail-links.js';
import { MailboxConsent } from './mailbox-consent.js';

/** Shows no text that an account wrote, because the reader of the mail may be a stranger. */
interface LinkPage {
  readonly title: string;
  readonly text: string;
  readonly button?: string;
}

const UNSUBSCRIBE_QUESTION: LinkPage = {
  title: 'No more mails from Namewatch?',
  text:
    'One account will stop sending notifications to your mailbox, and can start again only if you agree. Mails of other ' +
    'accounts are not affected.',
  button: 'Unsubscribe',
};
const UNSUBSCRIBED: LinkPage = {
  title: 'You are unsubscribed',
  text: 'This account sends no more notifications to your mailbox. You can close this page.',
};
const CONFIRM_QUESTION: LinkPage = {
  title: 'Notifications about domain names by mail?',
  text: 'A Namewatch account wants to send its notifications to your address. It can only do so if you agree.',
  button: 'Yes, send them to me',
};
const CONFIRMED: LinkPage = {
  title: 'Your address is confirmed',
  text: 'You will get notifications from now on. You can close this page.',
};

const LINK_TOKEN = { name: 'token', description: 'The last part of the link in a mail.' };
const PAGE = { content: { 'text/html': { schema: { type: 'string' } } } };

/** Anyone who has a mail may use its links. GET changes nothing, since mail programs open links by themselves. */
@ApiTags('Links in mails')
@Controller()
export class MailLinksController {
  constructor(
    private readonly consent: MailboxConsent,
    private readonly links: MailLinks,
  ) {}

  @Get('u/:token')
  @PublicLink()
  @ApiOperation({ operationId: 'askToUnsubscribe', summary: 'Show the unsubscribe page' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'A page with a button. Changes nothing.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found')
  askToUnsubscribe(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return respondWithPage(request, reply, UNSUBSCRIBE_QUESTION, () => this.links.parseUnsubscribeToken(token));
  }

  /** Ignores the body of a one-click request (RFC 8058), because the link contains all data. */
  @Post('u/:token')
  @HttpCode(200)
  @PublicLink()
  @ApiOperation({ operationId: 'unsubscribe', summary: 'End the mails of a channel (RFC 8058 one-click)' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'Unsubscribed, now or before.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found', 'payload_too_large', 'database_unavailable')
  unsubscribe(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return respondWithPage(request, reply, UNSUBSCRIBED, () => this.consent.unsubscribe(token));
  }

  @Get('confirm/:token')
  @PublicLink()
  @ApiOperation({ operationId: 'askToConfirm', summary: 'Show the confirmation page' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'A page with a button. Changes nothing.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found')
  askToConfirm(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return respondWithPage(request, reply, CONFIRM_QUESTION, () => this.links.parseConfirmationToken(token));
  }

  @Post('confirm/:token')
  @HttpCode(200)
  @PublicLink()
  @ApiOperation({ operationId: 'confirm', summary: 'Confirm the address of a channel' })
  @ApiParam(LINK_TOKEN)
  @ApiOkResponse({ description: 'The channel is active, unless it is inactive for another reason.', ...PAGE })
  @ApiPublicProblems('invalid_request', 'not_found', 'link_expired', 'payload_too_large', 'database_unavailable')
  confirm(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return respondWithPage(request, reply, CONFIRMED, () => this.consent.confirm(token));
  }
}

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3}button{font:inherit;padding:.5rem 1.2rem;cursor:pointer}`;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pageContentSecurityPolicy(STYLE),
  'x-robots-tag': 'noindex, nofollow',
};

/** Runs `action`, then sends the page. Browsers also get errors as a page. @throws DomainError for other clients */
async function respondWithPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: LinkPage,
  action: () => unknown,
): Promise<void> {
  try {
    await action();
    sendPage(reply, page);
  } catch (error) {
    const isForPeople = /\btext\/html\b/.test(headers.accept ?? '');
    if (!isForPeople || !(error instanceof DomainError)) throw error;
    sendPage(reply, { title: 'This link does not work', text: error.message }, problemStatus(error.code));
  }
}

/** The form has no `action`, so it posts to the URL of the page. */
function sendPage(reply: FastifyReply, { title, text: words, button }: LinkPage, status = 200): void {
  const form = button === undefined ? '' : `<form method="post"><button>${button}</button></form>`;
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${words}</p>${form}</main></body></html>
`;
  void reply.status(status).headers(HEADERS).send(page);
}
