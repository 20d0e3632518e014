import { trace } from '@opentelemetry/api';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { type Logger, LoggerModule } from 'nestjs-pino';
import type { Config } from '../../config/config.js';
import { traceIdOf } from '../tracing/spans.js';
import { redactCredentials } from './request-credentials.js';
import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

/** Redacted wherever an object with these members is logged. */
const REDACTED_FIELDS = ['authorization', 'secret', 'key', 'password'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);
/**
 * Sources that are not logged. Nest logs all modules and routes at every start, which the OpenAPI document has. Nest
 * also throws why a start failed, which becomes one sentence on stderr.
 */
const STARTUP_CONTEXTS = new Set<unknown>([
  'ExceptionHandler',
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Collectors such as Loki read names of levels and ISO times. Numbers would have to be translated there. */
const readableByCollectors = {
  formatters: { level: (level: string) => ({ level }) },
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
};

/** Makes structured logs by pino. Our own hook logs requests, which costs less than a middleware per request. */
export function createLoggerModule({ logLevel: level, logFormat }: Config): DynamicModule {
  // Left out in lines for people, since the sentence about a request has them (see request-records.ts).
  const ignore = 'pid,hostname,method,path,status,code,ms,ip,account,requestId,clientRequestId';
  const messageFormat = '{if context}[{context}] {end}{msg}';
  const options = { singleLine: true, ignore: `${ignore},context`, messageFormat };
  const pretty = { transport: { target: import.meta.resolve('pino-pretty'), options } };
  const common = {
    level,
    serializers: { err: serializeError },
    // Works on the finished line, to which nothing is added.
    hooks: { streamWrite: redactCredentials },
    redact: { paths: REDACTED_FIELDS, censor: '[redacted]' },
    mixin: () => traceIdOf(trace.getActiveSpan()),
    ...(logFormat === 'pretty' ? pretty : readableByCollectors),
  };
  return LoggerModule.forRoot({ forRoutes: [], pinoHttp: common });
}

/** Makes Nest's logger leave out start-up messages, and count repeated warnings and errors. */
export function createNestLogger(logger: Logger): LoggerService {
  const deduplicator = new LogDeduplicator();
  return {
    log: (message: unknown, ...rest: unknown[]) => {
      if (!STARTUP_CONTEXTS.has(rest.at(-1))) logger.log(message, ...rest);
    },
    error: (message: unknown, ...rest: unknown[]) => {
      if (STARTUP_CONTEXTS.has(rest.at(-1))) return;
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

/** Returns the message of a background failure, else null. Failed requests stay apart: support asks for their ids. */
function repeatableFailure(message: unknown): string | null {
  const { err, requestId } = (typeof message === 'object' && message !== null ? message : {}) as Record<
    string,
    unknown
  >;
  return err instanceof Error && requestId === undefined ? err.message : null;
}

/** Fields with user data that PostgreSQL and the ORM add to errors: rows, statements, key values. */
const SENSITIVE_FIELDS = ['detail', 'where', 'internalQuery', 'query', 'sql', 'parameters', 'params', 'hint', 'raw'];

/** Runs after pino's own serializer; causes are already in the message and the stack. */
function serializeError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const shown = Object.entries(error as Record<string, unknown>).filter(([name]) => !SENSITIVE_FIELDS.includes(name));
  return Object.fromEntries(
    shown.map(([name, value]) =>
      name === 'aggregateErrors' && Array.isArray(value) ? [name, value.map(serializeError)] : [name, value],
    ),
  );
}

const WINDOW_MS = 60_000;
const MAX_SOURCES = 1_000;

interface Repeats {
  count: number;
  write: (suffix: string) => void;
}

/**
 * Writes the first of similar lines, then one a minute with their number. Lines are similar when they have the same
 * source and differ only in numbers.
 */
export class LogDeduplicator {
  private readonly repeats = new LRUCache<string, Repeats>({ max: MAX_SOURCES });

  /** @param line appends `suffix` to the line. It may be called later, in the context of the same request */
  writeOrCount(source: string, text: string, line: (suffix: string) => void): void {
    const write = AsyncResource.bind(line);
    const key = `${source} ${text.replace(/\d+/g, '#')}`;
    const known = this.repeats.get(key);
    if (known) {
      known.count += 1;
      known.write = write;
      return;
    }
    this.openWindow(key, write);
    write('');
  }

  private openWindow(key: string, write: Repeats['write']): void {
    const repeats: Repeats = { count: 0, write };
    this.repeats.set(key, repeats);
    setTimeout(() => this.closeWindow(key, repeats), WINDOW_MS).unref();
  }

  /** Ends the series if the window had no repeat. */
  private closeWindow(key: string, { count, write }: Repeats): void {
    this.repeats.delete(key);
    if (count === 0) return;
    this.openWindow(key, write);
    write(` (${count} more like it in ${WINDOW_MS / 1_000} s)`);
  }
}
