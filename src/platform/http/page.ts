import { ApiProperty } from '@nestjs/swagger';
import { QueryIntegerField } from './validation/fields.js';
import type { FastifyRequest } from 'fastify';
import { toPublicPath } from './request.js';

/** Paging parameters, the same for all lists. */
export class PageQuery {
  @QueryIntegerField({ default: 1, minimum: 1, maximum: 1_000_000, description: 'Which page.' })
  page: number = 1;

  @QueryIntegerField({ default: 20, minimum: 1, maximum: 100, description: 'How many on a page.' })
  per_page: number = 20;
}

/** The number and size of a page, and how many entries all pages have together. */
export class PageMeta {
  @ApiProperty({ type: 'integer', example: 1 }) page: number;
  @ApiProperty({ type: 'integer', example: 20 }) per_page: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Matching entries in all.' }) total: number;
}

/** Returns the `Link` header of a page (RFC 8288) with first, prev, next and last. Keeps the other query parameters. */
export function pageLinks(request: FastifyRequest, { page, per_page, total }: PageMeta): string {
  const url = toPublicPath(request, request.url);
  const last = Math.max(1, Math.ceil(total / per_page));
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
