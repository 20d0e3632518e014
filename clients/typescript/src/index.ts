import { onlyProblems } from './errors.js';
import { type Client, createClient } from './generated/client/index.js';

export { NetworkError, UnexpectedAnswerError } from './errors.js';
export type { Client } from './generated/client/index.js';
export * from './generated/index.js';

export interface NamewatchOptions {
  /** Where the service is, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** An API key, `nw_…`. */
  readonly key: string;
}

/**
 * What every operation takes as its `client`: `await checkDomain({ client, query: { domain } })`. An answer has `data`
 * or `error`, which is a problem document (RFC 9457), and the `response` with its headers. What is no answer of the
 * service is thrown: a NetworkError or an UnexpectedAnswerError.
 */
export function namewatch({ url, key }: NamewatchOptions): Client {
  const client = createClient({ baseUrl: url, auth: key });
  client.interceptors.error.use(onlyProblems);
  return client;
}
