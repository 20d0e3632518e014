import { Controller, Get, Header } from '@nestjs/common';
import { Readiness } from '../readiness.js';
import { NotReady } from './hooks/load-shedding.js';
import { Public } from './route-access.js';

/**
 * The health routes. Processes without the API use this class. Processes with the API use a subclass with API
 * documentation.
 */
@Controller()
export class HealthProbes {
  constructor(private readonly readiness: Readiness) {}

  @Get('livez')
  @Public()
  @Header('cache-control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @Header('cache-control', 'no-store')
  async ready(): Promise<object> {
    if (this.readiness.isRetired) throw NotReady.shuttingDown();
    const { ready, checks } = await this.readiness.report();
    if (!ready) throw new NotReady('A dependency of the process is unavailable.', { checks });
    return { status: 'ok', checks };
  }
}
