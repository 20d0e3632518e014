import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readiness } from '../readiness.js';
import { Public } from './public.js';

const ALIVE = {
  schema: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
};
const READY = {
  schema: {
    type: 'object',
    required: ['status', 'checks'],
    properties: {
      status: { type: 'string', enum: ['ok', 'unavailable'] },
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
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('livez')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process answers' })
  @ApiOkResponse({ description: 'It does.', ...ALIVE })
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether the process can do its work' })
  @ApiOkResponse({ description: 'The database and the queue answer.', ...READY })
  @ApiServiceUnavailableResponse({ description: 'Something is away; `checks` says what.', ...READY })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const report = await this.readiness.report();
    if (!report.ready) void reply.status(503);
    return { status: report.ready ? 'ok' : 'unavailable', checks: report.checks };
  }
}
