import { LoggerModule } from 'nestjs-pino';
import type { DynamicModule } from '@nestjs/common';
import type { Config } from '../config.js';

/** Paths whose values never reach a log, whoever logs the object that holds them. */
const SECRETS = ['authorization', 'secret', 'key', 'password'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** One structured line a request, with its id; secrets left out. */
export function logging(config: Config): DynamicModule {
  return LoggerModule.forRoot({
    pinoHttp: {
      level: config.log.level,
      redact: { paths: [...SECRETS, 'req.headers', 'res.headers'], censor: '[redacted]' },
      autoLogging: { ignore: (request) => request.url === '/livez' || request.url === '/readyz' },
      quietReqLogger: true,
      ...(config.log.format === 'pretty'
        ? { transport: { target: 'pino-pretty', options: { singleLine: true } } }
        : {}),
    },
  });
}
