import type { DynamicModule, LoggerService } from '@nestjs/common';
import { type Logger, LoggerModule } from 'nestjs-pino';
import type { Config } from '../config.js';
import { withoutValues } from './logged-error.js';

/** Members whose values never reach a log, whoever logs the object that holds them. */
const SECRETS = ['authorization', 'secret', 'key', 'password'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
/** Nest tells at every start which modules and routes there are; the OpenAPI document says it better. */
const CHATTER = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Structured logs by pino. Requests are told by a hook of ours, which costs less than a middleware for each. */
export function logging({ log }: Config): DynamicModule {
  const pretty = { transport: { target: 'pino-pretty', options: { singleLine: true } } };
  return LoggerModule.forRoot({
    forRoutes: [],
    pinoHttp: {
      level: log.level,
      serializers: { err: withoutValues },
      redact: { paths: SECRETS, censor: '[redacted]' },
      ...(log.format === 'pretty' ? pretty : {}),
    },
  });
}

/** The logger that Nest uses, without its start-up chatter. */
export function withoutChatter(logger: Logger): LoggerService {
  return {
    log: (message: unknown, ...rest: unknown[]) => {
      if (!CHATTER.has(rest.at(-1))) logger.log(message, ...rest);
    },
    error: (message: unknown, ...rest: unknown[]) => logger.error(message, ...rest),
    warn: (message: unknown, ...rest: unknown[]) => logger.warn(message, ...rest),
    debug: (message: unknown, ...rest: unknown[]) => logger.debug(message, ...rest),
    verbose: (message: unknown, ...rest: unknown[]) => logger.verbose(message, ...rest),
    fatal: (message: unknown, ...rest: unknown[]) => logger.fatal(message, ...rest),
  };
}
