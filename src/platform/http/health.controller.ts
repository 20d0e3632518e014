import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Readiness } from '../readiness.js';
import { ApiPublicProblems } from './errors/api-problems.js';
import { NotReady } from './hooks/load-shedding.js';
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
        additionalProperties: { type: 'string', enum: ['ok'] },
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
  @ApiPublicProblems('headers_too_large')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether the process can do its work' })
  @ApiOkResponse({ description: 'The database and the queue answer.', ...READY })
  @ApiPublicProblems('not_ready', 'headers_too_large')
  async ready(): Promise<object> {
    const { ready, checks } = await this.readiness.report();
    if (!ready) throw new NotReady('A dependency of the process is unavailable.', { checks });
    return { status: 'ok', checks };
  }
}
