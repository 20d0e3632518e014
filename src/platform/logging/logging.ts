import type { DynamicModule, LoggerService } from '@nestjs/common';
import { type Logger, LoggerModule } from 'nestjs-pino';
import type { Config } from '../../config/config.js';
import { serializeError } from './error-serializer.js';
import { LogDeduplicator } from './log-deduplicator.js';

/** Members whose values never reach a log, whoever logs the object that holds them. */
const REDACTED_FIELDS = ['authorization', 'secret', 'key', 'password'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);
/** Nest tells at every start which modules and routes there are; the OpenAPI document says it better. */
const STARTUP_CONTEXTS = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Structured logs by pino. Requests are told by a hook of ours, which costs less than a middleware for each. */
export function createLoggerModule({ log }: Config): DynamicModule {
  // A request says all of it in its sentence, see request-log.ts.
  const ignore = 'pid,hostname,method,path,status,code,ms,ip,account,requestId';
  const messageFormat = '{if context}[{context}] {end}{msg}';
  const options = { singleLine: true, ignore: `${ignore},context`, messageFormat };
  const pretty = { transport: { target: 'pino-pretty', options } };
  return LoggerModule.forRoot({
    forRoutes: [],
    pinoHttp: {
      level: log.level,
      serializers: { err: serializeError },
      redact: { paths: REDACTED_FIELDS, censor: '[redacted]' },
      ...(log.format === 'pretty' ? pretty : {}),
    },
  });
}

/** The logger that Nest uses, without its start-up chatter, and with repeated warnings and errors counted. */
export function createNestLogger(logger: Logger): LoggerService {
  const deduplicator = new LogDeduplicator();
  return {
    log: (message: unknown, ...rest: unknown[]) => {
      if (!STARTUP_CONTEXTS.has(rest.at(-1))) logger.log(message, ...rest);
    },
    error: (message: unknown, ...rest: unknown[]) => {
      const failure = repeatableFailure(message);
      if (failure === null) return logger.error(message, ...rest);
      const [text, ...others] = rest;
      deduplicator.writeOrCount(String(rest.at(-1)), `${String(text)}: ${failure}`, (suffix) =>
        logger.error(message, `${String(text)}${suffix}`, ...others),
      );
    },
    warn: (message: unknown, ...rest: unknown[]) => {
      if (typeof message !== 'string') return logger.warn(message, ...rest);
      deduplicator.writeOrCount(String(rest.at(-1)), message, (suffix) => logger.warn(`${message}${suffix}`, ...rest));
    },
    debug: (message: unknown, ...rest: unknown[]) => logger.debug(message, ...rest),
    verbose: (message: unknown, ...rest: unknown[]) => logger.verbose(message, ...rest),
    fatal: (message: unknown, ...rest: unknown[]) => logger.fatal(message, ...rest),
  };
}

/** The message of a failure of background work; a failed request keeps its line, since its id is asked for. */
function repeatableFailure(message: unknown): string | null {
  const { err, requestId } = (typeof message === 'object' && message !== null ? message : {}) as Record<
    string,
    unknown
  >;
  return err instanceof Error && requestId === undefined ? err.message : null;
}
