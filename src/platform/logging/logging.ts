import { trace } from '@opentelemetry/api';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { type Logger, LoggerModule } from 'nestjs-pino';
import type { Config } from '../../config/config.js';
import { traceIdOf } from '../tracing/spans.js';
import { redactCredentials } from './request-credentials.js';
import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

/** The log hides the values of fields with these names, also in nested objects. */
const REDACTED_FIELDS = ['authorization', 'secret', 'key', 'password'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);
/** Log lines from these sources are left out, because Nest lists all modules and routes at every start. */
const STARTUP_CONTEXTS = new Set<unknown>([
  'ExceptionHandler', // the process itself prints why a start failed
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Writes level names and ISO times, because log collectors such as Loki do not read pino's numbers. */
const readableByCollectors = {
  formatters: { level: (level: string) => ({ level }) },
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
};

/** Makes structured logs by pino. Our own hook logs requests, which is cheaper than pino's middleware. */
export function createLoggerModule({ logLevel: level, logFormat }: Config): DynamicModule {
  // The pretty format leaves these fields out, to keep lines short. The text of a request line contains the most
  // important values (request-records.ts).
  const ignore = 'pid,hostname,method,path,status,code,ms,ip,account,requestId,clientRequestId';
  const messageFormat = '{if context}[{context}] {end}{msg}';
  const options = { singleLine: true, ignore: `${ignore},context`, messageFormat };
  const pretty = { transport: { target: import.meta.resolve('pino-pretty'), options } };
  const common = {
    level,
    serializers: { err: serializeError },
    // Removes credentials last, from the finished log line.
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

/** Returns the message that identifies a repeated error. Returns null for a failed request, which is always logged. */
function repeatableFailure(message: unknown): string | null {
  const { err, requestId } = (typeof message === 'object' && message !== null ? message : {}) as Record<
    string,
    unknown
  >;
  return err instanceof Error && requestId === undefined ? err.message : null;
}

/** Fields of errors of PostgreSQL and the ORM. These fields contain user data, such as rows and statements. */
const SENSITIVE_FIELDS = ['detail', 'where', 'internalQuery', 'query', 'sql', 'parameters', 'params', 'hint', 'raw'];

/**
 * Leaves out fields with user data. Receives an error that pino has serialized, with `cause` in its message and stack.
 */
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

/** Writes the first of several lines that differ only in numbers. Then writes once a minute how many more came. */
export class LogDeduplicator {
  private readonly repeats = new LRUCache<string, Repeats>({ max: MAX_SOURCES });

  /** @param line may run a minute later, but in this call's async context, so that the log names the right request */
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

  /** Writes how often the line was repeated. Ends the series if there was no repeat. */
  private closeWindow(key: string, { count, write }: Repeats): void {
    this.repeats.delete(key);
    if (count === 0) return;
    this.openWindow(key, write);
    write(` (${count} more like it in ${WINDOW_MS / 1_000} s)`);
  }
}
