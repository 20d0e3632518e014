import { autocannon } from '../../tools/autocannon.js';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests under way at a time. */
  readonly connections?: number;
  /** A path that is another one for each request. */
  readonly nextPath?: () => string;
}

export interface Round {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds, as the next. */
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 16;

/**
 * Loads one server for some seconds with a fixed number of connections.
 * @throws when any answer is not 200: a fast refusal must not count as speed.
 */
export async function load({ url, headers, connections, nextPath }: Load, seconds: number): Promise<Round> {
  const requests = nextPath && [{ setupRequest: (request: object) => ({ ...request, path: nextPath() }) }];
  const result = await autocannon({
    url,
    headers: { ...headers },
    connections: connections ?? CONNECTIONS,
    duration: seconds,
    ...(requests && { requests }),
  });
  const answered = result['2xx'];
  if (answered === 0 || result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${answered} answers, ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: answered / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
