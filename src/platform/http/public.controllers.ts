import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiPublicProblems } from './errors/api-problems.js';
import { ProblemCatalogue } from './errors/problem-catalogue.js';
import { HealthProbes } from './health-probes.js';
import { RouteNotFound } from './hooks/route-table.js';
import { pageContentSecurityPolicy } from './hooks/security-headers.js';
import { Public } from './route-access.js';

const ALIVE = {
  schema: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
};
const READY = {
  schema: {
    type: 'object',
    required: ['status', 'checks'],
    properties: {
      status: { type: 'string', enum: ['ok'] },
      checks: {
        type: 'object',
        additionalProperties: { type: 'string', enum: ['ok', 'unavailable'] },
        example: { database: 'ok', queue: 'ok' },
      },
    },
  },
};

@ApiTags('Health')
@Controller()
export class HealthController extends HealthProbes {
  @Get('livez')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process answers' })
  @ApiOkResponse({ description: 'It does.', ...ALIVE })
  @ApiPublicProblems('headers_too_large')
  override live(): { status: string } {
    return super.live();
  }

  @Get('readyz')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether the process can do its work' })
  @ApiOkResponse({ description: 'All that its role needs works.', ...READY })
  @ApiPublicProblems('not_ready', 'headers_too_large')
  override ready(): Promise<object> {
    return super.ready();
  }
}

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
