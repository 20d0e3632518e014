import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import { type Asking, HttpExchange, type HttpReply, type HttpSilence } from './http-exchange.js';

export type { Asking, HttpReply, HttpSilence };

/**
 * GET to servers of strangers. Nothing is inflated (a compressed answer is refused, so no small bomb can grow here) and
 * no redirect is followed. What the network does wrong comes back as data.
 */
@Injectable()
export class RegistryHttp implements OnApplicationShutdown {
  constructor(private readonly agent: Agent) {}

  get(url: URL, asking: Asking): Promise<HttpReply | HttpSilence> {
    const headers = {
      accept: asking.accept,
      'accept-encoding': 'identity',
      // An answer that a cache in between repeats would be the same witness twice.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    const { origin, pathname, search } = url;
    return new Promise((resolve, reject) => {
      const exchange = new HttpExchange(asking, resolve, reject);
      this.agent.dispatch({ origin, path: pathname + search, method: 'GET', headers }, exchange);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}
