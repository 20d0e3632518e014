import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { USER_AGENT } from '../../../platform/outbound/user-agent.js';
import {
  type HttpRequestOptions,
  BoundedHttpRequest,
  type HttpReply,
  type HttpNoResponse,
} from './bounded-http-request.js';

export type { HttpRequestOptions, HttpReply, HttpNoResponse };

/**
 * GET to servers of strangers. Nothing is inflated (a compressed answer is refused, so no small bomb can grow here) and
 * no redirect is followed. What the network does wrong comes back as data.
 */
@Injectable()
export class RegistryHttpClient implements OnApplicationShutdown {
  constructor(private readonly agent: Agent) {}

  get(url: URL, options: HttpRequestOptions): Promise<HttpReply | HttpNoResponse> {
    const headers = {
      accept: options.accept,
      'accept-encoding': 'identity',
      // An answer that a cache in between repeats would be the same witness twice.
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
