import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import {
  type HttpRequestOptions,
  BoundedHttpRequest,
  type HttpReply,
  type HttpNoResponse,
} from './bounded-http-request.js';

type Headers = Readonly<Record<string, string>>;

/**
 * Requests to untrusted servers. Addresses are checked by the guard of the settings, sizes and times are bounded,
 * compressed responses are refused, so that none can inflate, and redirects are not followed. Network errors are returned
 * as data.
 */
@Injectable()
export class RegistryHttpClient implements OnApplicationShutdown {
  /** @param connectionPerRequest an agent that closes each connection after its response */
  constructor(
    private readonly agent: Agent,
    private readonly connectionPerRequest: Agent = agent,
  ) {}

  /** A client whose requests use no connection of an earlier one; it is closed with this one. */
  onNewConnections(): RegistryHttpClient {
    return new RegistryHttpClient(this.connectionPerRequest);
  }

  /**
   * @param url the parts are enough: an object for each of many requests would cost a tenth of them
   * @param headers in lower case, such as `authorization`
   */
  get(
    url: Pick<URL, 'origin' | 'pathname' | 'search'>,
    options: HttpRequestOptions,
    headers?: Headers,
  ): Promise<HttpReply | HttpNoResponse> {
    return this.dispatch('GET', url, options, null, headers);
  }

  /** @param headers in lower case; `content-type` says what the body is */
  post(url: URL, body: string, options: HttpRequestOptions, headers?: Headers): Promise<HttpReply | HttpNoResponse> {
    return this.dispatch('POST', url, options, body, headers);
  }

  private dispatch(
    method: 'GET' | 'POST',
    { origin, pathname, search }: Pick<URL, 'origin' | 'pathname' | 'search'>,
    options: HttpRequestOptions,
    body: string | null,
    added?: Headers,
  ): Promise<HttpReply | HttpNoResponse> {
    const headers = {
      ...added,
      accept: options.accept,
      'accept-encoding': 'identity',
      // A cached response would confirm an earlier lookup with the same data.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    return new Promise((resolve, reject) => {
      const request = new BoundedHttpRequest(options, resolve, reject);
      this.agent.dispatch({ origin, path: pathname + search, method, headers, body }, request);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.connectionPerRequest.destroy()]);
  }
}
