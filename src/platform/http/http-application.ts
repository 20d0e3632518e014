import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import { maxHeaderSize } from 'node:http';
import type { Config } from '../../config/config.js';
import { addEtags } from './hooks/conditional-requests.js';
import { acceptJsonOnly, BODY_LIMIT } from './validation/json-body.js';
import { warnAboutUntrustedProxy } from './hooks/untrusted-proxy-warning.js';
import { ProblemFilter, requestProblem, sendProblem } from './errors/problem.filter.js';
import { createNestLogger } from '../logging/logging.js';
import { logRequests } from './hooks/request-log.js';
import { getRequestId } from './hooks/request-id.js';
import { shedLoad } from './hooks/load-shedding.js';
import { RouteTable } from './hooks/route-table.js';
import { SECURITY_HEADERS } from './hooks/security-headers.js';
import { closeUnusedConnections } from './hooks/unused-connections.js';
import { enforceWriteTimeout } from './hooks/write-timeout.js';
import { rejectProtocolErrors, handleClientError } from './errors/protocol-errors.js';
import { StrictValidationPipe } from './validation/strict-validation.pipe.js';

/** For headers and body together. */
export const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Node's default of twice a minute would let timeouts take twice as long. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;

/**
 * Creates the HTTP application: Fastify under Nest, problem documents for all errors, strict bodies and queries.
 * @param authenticate adds the authentication hook; it runs before bodies are read
 */
export async function createHttpApplication(
  config: Config,
  module: DynamicModule,
  authenticate: (fastify: FastifyInstance, app: NestFastifyApplication) => void,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    trustProxy: config.trustProxy === true ? isNearestHop : config.trustProxy,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: getRequestId,
    requestIdHeader: false,
    // Ids of any length reach their route, which refuses them after authentication.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // refused by our own hook
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: handleClientError,
    http: {
      requireHostHeader: false, // Node would respond without a body
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false, // start-up errors go to the terminal, since logs may be silent
  });
  app.useLogger(createNestLogger(app.get(Logger)));
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new StrictValidationPipe());
  const fastify = adapter.getInstance();
  logRequests(fastify, config.log);
  warnAboutUntrustedProxy(fastify);
  acceptJsonOnly(fastify);
  rejectUnknownRoutes(fastify);
  shedLoad(fastify);
  rejectProtocolErrors(fastify);
  addEtags(fastify);
  closeUnusedConnections(fastify);
  enforceWriteTimeout(fastify);
  authenticate(fastify, app);
  return app;
}

/** Trusts the nearest hop only: clients can invent the rest of X-Forwarded-For. */
function isNearestHop(_address: string, hop: number): boolean {
  return hop === 0;
}

function rejectUnknownRoutes(fastify: FastifyInstance): void {
  const routes = new RouteTable(fastify);
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store').headers(SECURITY_HEADERS);
    const path = request.url.split('?', 1)[0] ?? '/';
    if (request.is404) throw routes.errorFor(request.method, path);
    routes.rejectShadowedPath(request.method, path, request.routeOptions.url ?? path);
  });
}

/** Fastify refuses a URL that it cannot parse before any hook or filter runs. */
function handleFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(reply.headers({ ...SECURITY_HEADERS, 'cache-control': 'no-store' }), requestProblem(error, request));
}
