import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../kernel/domain-error.js';
import { problemStatus } from '../../platform/http/errors/problem.js';
import { pageContentSecurityPolicy } from '../../platform/http/hooks/security-headers.js';

/** The content of a page; never text of an account. */
export interface LinkPage {
  readonly title: string;
  readonly text: string;
  /** The label of its button, if any. */
  readonly button?: string;
}

export const LINK_TOKEN = { name: 'token', description: 'The last part of the link in a mail.' };
export const PAGE = { content: { 'text/html': { schema: { type: 'string' } } } };

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3}button{font:inherit;padding:.5rem 1.2rem;cursor:pointer}`;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pageContentSecurityPolicy(STYLE),
  'x-robots-tag': 'noindex, nofollow',
};

/** Its form posts to its own URL. */
function sendPage(reply: FastifyReply, { title, text: words, button }: LinkPage, status = 200): void {
  const form = button === undefined ? '' : `<form method="post"><button>${button}</button></form>`;
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${words}</p>${form}</main></body></html>
`;
  void reply.status(status).headers(HEADERS).send(page);
}

/** Browsers get errors as pages. @throws DomainError for other clients */
export async function respondWithPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  getPage: () => LinkPage | Promise<LinkPage>,
): Promise<void> {
  try {
    sendPage(reply, await getPage());
  } catch (error) {
    const isForPeople = /\btext\/html\b/.test(headers.accept ?? '');
    if (!isForPeople || !(error instanceof DomainError)) throw error;
    sendPage(reply, { title: 'This link does not work', text: error.message }, problemStatus(error.code));
  }
}
