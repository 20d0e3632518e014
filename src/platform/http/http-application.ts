import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import { maxHeaderSize } from 'node:http';
import type { Config } from '../../config/config.js';
import { leadToMissingPage } from './dashboard.js';
import { BODY_LIMIT } from './validation/json-body.js';
import { requestProblem, sendProblem } from './errors/problem.filter.js';
import { createLoggerModule, createNestLogger } from '../logging/logging.js';
import { newRequestId } from './request.js';
import { SECURITY_HEADERS } from './hooks/security-headers.js';
import { handleClientError } from './errors/protocol-errors.js';

/** Limits the time for a request's headers and body together. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * How often Node looks for requests over their time limit. Node's default would let a request take 30 seconds too long.
 */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;

/**
 * Sets the server's own limits. Modules add everything else.
 * @param logger `host` sends log lines to the host application's logger
 */
export async function createHttpApplication(
  config: Config,
  module: DynamicModule,
  logger: 'own' | 'host',
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    trustProxy: config.trustProxy === true ? isNearestHop : config.trustProxy,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: newRequestId,
    requestIdHeader: false,
    // Lets ids of any length reach their route. The route refuses an invalid id after authentication.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // our own hook responds instead
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, config.basePath),
    http: {
      // Node would respond without a body to a request without Host. A hook refuses the request instead.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
  });
  const options = { bodyParser: false, abortOnError: false }; // the caller prints start-up errors, even if logs are off
  if (logger === 'host') return NestFactory.create<NestFastifyApplication>(module, adapter, options);
  const logged = { ...module, imports: [createLoggerModule(config), ...(module.imports ?? [])] };
  const app = await NestFactory.create<NestFastifyApplication>(logged, adapter, {
    ...options,
    bufferLogs: true,
    autoFlushLogs: false, // Nest would write the buffered lines of a failed start in its own format.
  });
  app.useLogger(createNestLogger(app.get(Logger)));
  app.flushLogs();
  return app;
}

/** Trusts only the nearest proxy, because clients can invent the rest of X-Forwarded-For. */
function isNearestHop(_address: string, hop: number): boolean {
  return hop === 0;
}

/** Responds to a URL that Fastify cannot parse. No hook or filter runs for such a URL. */
function handleFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ ...SECURITY_HEADERS, 'cache-control': 'no-store' });
  if (!leadToMissingPage(request, reply)) sendProblem(reply, requestProblem(error, request));
}
