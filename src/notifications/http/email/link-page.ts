import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';
import { problemStatus } from '../../../platform/http/errors/problem.js';
import { pageContentSecurityPolicy } from '../../../platform/http/hooks/security-headers.js';

/** What a page of a link says; all of it our own words. */
export interface LinkPage {
  readonly title: string;
  readonly text: string;
  /** What its one button says; null: nothing to do. */
  readonly button?: string;
}

/** For the documentation of its routes. */
export const LINK_TOKEN = { name: 'token', description: 'From the link in a mail: its last part.' };
export const PAGE = { content: { 'text/html': { schema: { type: 'string' } } } };

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3}button{font:inherit;padding:.5rem 1.2rem;cursor:pointer}`;
/** Beside the headers of every answer. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pageContentSecurityPolicy(STYLE),
  'x-robots-tag': 'noindex, nofollow',
};

/** Its form goes back to the address it came from. */
export function sendPage(reply: FastifyReply, { title, text: words, button }: LinkPage, status = 200): void {
  const form = button === undefined ? '' : `<form method="post"><button>${button}</button></form>`;
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${words}</p>${form}</main></body></html>
`;
  void reply.status(status).headers(HEADERS).send(page);
}

/** People get refusals as pages, programs as problem documents. @throws whatever was refused, for programs */
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
