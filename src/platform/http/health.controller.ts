import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiPublicProblems } from './errors/api-problems.js';
import { HealthProbes } from './health-probes.js';
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
