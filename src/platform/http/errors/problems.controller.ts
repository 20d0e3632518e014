import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiPublicProblems } from './api-problems.js';
import { ProblemCatalogue } from './problem-catalogue.js';
import { Public } from '../route-access.js';
import { RouteNotFound } from '../hooks/route-table.js';
import { pageContentSecurityPolicy } from '../hooks/security-headers.js';

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}`;

@ApiTags('Problems')
@Controller('problems')
export class ProblemsController {
  constructor(private readonly catalogue: ProblemCatalogue) {}

  @Get(':code')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', pageContentSecurityPolicy(STYLE))
  @ApiOperation({ operationId: 'getProblem', summary: 'Explain an error code' })
  @ApiParam({ name: 'code', example: 'not_registrable', description: 'The `code` of a problem.' })
  @ApiOkResponse({ description: 'An HTML page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiPublicProblems('invalid_request', 'not_found')
  page(@Param('code') code: string): string {
    const kind = this.catalogue.find(code);
    if (!kind) throw new RouteNotFound();
    const { status, title, about, retryable } = kind;
    const again = retryable ? 'The same request may succeed later.' : 'The same request will fail again.';
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title><style>${STYLE}</style><body>
<h1>${escape(title)}</h1><p><code>${code}</code>, status ${status}</p><p>${inCode(about)}</p><p>${again}</p></body></html>`;
  }
}

function inCode(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
