import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsConfig } from '../../config/sections.js';
import { explainListenErrors, metricsAddress } from '../listen.js';
import { Metrics } from './metrics.js';

/** Serves metrics on a separate port, since the API's port is public. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(MetricsServer.name);
  private server: Server | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: MetricsConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const address = metricsAddress(this.config);
    if (address === null) return;
    const server = createServer(({ url }, reply) => void this.respond(url, reply));
    await explainListenErrors(address, () => once(server.listen(address.port, address.host), 'listening'));
    this.server = server;
    this.log.log(`metrics at http://${address.host}:${this.port}/metrics`);
  }

  /** The port at which metrics are served, or 0 if this server does not listen. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /** The address at which metrics are served, or null if this server does not listen. */
  get address(): string | null {
    return (this.server?.address() as AddressInfo | null)?.address ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(url: string | undefined, reply: ServerResponse): Promise<void> {
    if (url !== '/metrics') return void reply.writeHead(404).end();
    try {
      const { type, text } = await this.metrics.expose();
      reply.writeHead(200, { 'content-type': type }).end(text);
    } catch (error) {
      this.log.warn(`metrics could not be read: ${(error as Error).message}`);
      reply.writeHead(503).end();
    }
  }
}
