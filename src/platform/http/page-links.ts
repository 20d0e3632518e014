import type { FastifyRequest } from 'fastify';
import { toPublicPath } from './base-path.js';

interface PagePosition {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** The `Link` header of a page (RFC 8288): first, prev, next and last, keeping the other parameters. */
export function pageLinks(request: FastifyRequest, { page, perPage, total }: PagePosition): string {
  const url = toPublicPath(request, request.url);
  const last = Math.max(1, Math.ceil(total / perPage));
  const links: readonly (readonly [string, number])[] = [
    ['first', 1],
    ...(page > 1 ? [['prev', Math.min(page - 1, last)] as const] : []),
    ...(page < last ? [['next', page + 1] as const] : []),
    ['last', last],
  ];
  return links.map(([relation, number]) => `<${withPage(url, number)}>; rel="${relation}"`).join(', ');
}

function withPage(url: string, page: number): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `${path}?${parameters.toString()}`;
}
