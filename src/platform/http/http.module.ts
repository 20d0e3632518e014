import { Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Config } from '../../config/config.js';
import { Metrics } from '../metrics/metrics.js';
import { AccountLines, WAITING_PER_ACCOUNT } from '../concurrency/account-lines.js';
import { ProblemCatalogue } from './errors/problem-catalogue.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { rejectProtocolErrors } from './errors/protocol-errors.js';
import { limitAccountConcurrency } from './hooks/account-concurrency.js';
import { addEtags } from './hooks/conditional-requests.js';
import { DEFAULT_LOAD_LIMITS, shedLoad } from './hooks/load-shedding.js';
import { traceRequests, measureRequests, logRequests } from './hooks/request-records.js';
import { provideRequestContext } from '../concurrency/request-context.js';
import { rejectUnknownRoutes } from './hooks/route-table.js';
import { warnAboutUntrustedProxy, closeUnusedConnections, enforceWriteTimeout } from './hooks/connections.js';
import { limitUploads } from './uploads.js';
import { acceptJsonOnly } from './validation/json-body.js';
import { rejectMalformedQueries } from './validation/storable-text.js';
import { rejectUnaskedBodies, StrictValidationPipe } from './validation/strict-validation.pipe.js';

/**
 * Import this module before the modules with routes, because its hooks must refuse overload before the authentication
 * hook runs.
 */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: StrictValidationPipe },
  ],
})
export class HttpModule implements NestModule {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: Config,
    private readonly lines: AccountLines,
    private readonly problems: ProblemCatalogue,
    private readonly metrics: Metrics,
  ) {}

  configure(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorate('problemCatalogue', this.problems);
    fastify.decorate('basePath', this.config.basePath);
    provideRequestContext(fastify);
    logRequests(fastify, this.config);
    traceRequests(fastify);
    if (this.config.metricsPort !== null) measureRequests(fastify, this.metrics);
    warnAboutUntrustedProxy(fastify);
    acceptJsonOnly(fastify);
    rejectUnaskedBodies(fastify);
    rejectUnknownRoutes(fastify);
    shedLoad(fastify, {
      ...DEFAULT_LOAD_LIMITS,
      maxInFlightPerAccount: this.config.accountConcurrency + WAITING_PER_ACCOUNT,
    });
    rejectProtocolErrors(fastify);
    addEtags(fastify);
    closeUnusedConnections(fastify);
    enforceWriteTimeout(fastify);
    rejectMalformedQueries(fastify);
    limitUploads(fastify);
    limitAccountConcurrency(fastify, this.lines);
  }
}
