import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { USER_AGENT } from '../../../platform/outbound/user-agent.js';
import {
  type HttpRequestOptions,
  BoundedHttpRequest,
  type HttpReply,
  type HttpNoResponse,
} from './bounded-http-request.js';

/**
 * GET requests to untrusted servers. Compressed responses are refused, so that none can inflate, and redirects are
 * not followed. Network errors are returned as data.
 */
@Injectable()
export class RegistryHttpClient implements OnApplicationShutdown {
  constructor(private readonly agent: Agent) {}

  get(url: URL, options: HttpRequestOptions): Promise<HttpReply | HttpNoResponse> {
    const headers = {
      accept: options.accept,
      'accept-encoding': 'identity',
      // A cached response would confirm an earlier lookup with the same data.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    const { origin, pathname, search } = url;
    return new Promise((resolve, reject) => {
      const request = new BoundedHttpRequest(options, resolve, reject);
      this.agent.dispatch({ origin, path: pathname + search, method: 'GET', headers }, request);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}
