import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createRegistryHttp } from '../../../../src/domains/registry-http.module.js';
import type { RegistryHttpClient } from '../../../../src/domains/transport/registry-http-client.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { CertificateAuthority, type ServerCertificate } from '../../../support/builders/certificates.js';

type Answer = (request: Http2ServerRequest, reply: Http2ServerResponse) => void;

const sayVersion: Answer = ({ httpVersion }, reply) => void reply.end(httpVersion);
/** The answer of a registry that wants HTTP/2 to everybody else. */
const demandHttp2: Answer = (request, reply) => {
  if (request.httpVersion === '1.1') reply.writeHead(426, { upgrade: 'h2' }).end();
  else sayVersion(request, reply);
};

let certificate: ServerCertificate;
let ca: string;
beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  certificate = await authority.issue(['127.0.0.1', 'registry.example']);
  ca = authority.cert;
});

const open: (() => Promise<unknown>)[] = [];
const closeAll = () => Promise.all(open.splice(0).map((close) => close()));
afterEach(closeAll);
afterAll(closeAll);

class Registry {
  connections = 0;
  requests: string[] = [];

  private constructor(private readonly server: Http2SecureServer) {
    server.on('secureConnection', () => (this.connections += 1));
    server.on('request', ({ httpVersion }) => this.requests.push(httpVersion));
  }

  static async start(ALPNProtocols: string[], answer: Answer): Promise<Registry> {
    const server = createSecureServer({
      ...certificate,
      ALPNProtocols,
      allowHTTP1: ALPNProtocols.includes('http/1.1'),
    });
    const registry = new Registry(server);
    server.on('request', answer);
    const sockets = new Set<{ destroy(): void }>();
    server.on('connection', (socket: { destroy(): void }) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return registry;
  }

  get url(): URL {
    return new URL(`https://127.0.0.1:${(this.server.address() as AddressInfo).port}/domain/example.com`);
  }
}

function client(networks = ['127.0.0.1']): RegistryHttpClient {
  const http = createRegistryHttp({ guard: new AddressGuard(networks), secureContext: createSecureContext({ ca }) });
  open.push(() => http.onApplicationShutdown());
  return http;
}

const ask = (http: RegistryHttpClient, { url }: Registry, { maxBytes = 1_000, timeoutMs = 5_000 } = {}) =>
  http.get(url, { accept: 'application/rdap+json', maxBytes, signal: AbortSignal.timeout(timeoutMs) });

async function textOf(http: RegistryHttpClient, registry: Registry): Promise<string> {
  const outcome = await ask(http, registry);
  return outcome.kind === 'reply' ? `${outcome.status} ${outcome.body.toString()}` : outcome.failure;
}

const BOTH = ['h2', 'http/1.1'];

describe('a registry', () => {
  it('is queried over HTTP/1.1 if it supports that, even if it supports HTTP/2 too', async () => {
    for (const protocols of [['http/1.1'], BOTH]) {
      const registry = await Registry.start(protocols, sayVersion);
      expect(await textOf(client(), registry)).toBe('200 1.1');
    }
  });

  it('is queried again over HTTP/2 after status 426, and only over HTTP/2 from then on', async () => {
    const registry = await Registry.start(BOTH, demandHttp2);
    const http = client();
    expect(await textOf(http, registry)).toBe('200 2.0');
    expect(await textOf(http, registry)).toBe('200 2.0');
    expect(registry.requests).toEqual(['1.1', '2.0', '2.0']);
  });

  it('is queried over HTTP/2 if it supports nothing else', async () => {
    const registry = await Registry.start(['h2'], sayVersion);
    const http = client();
    expect(await textOf(http, registry)).toBe('200 2.0');
    expect(await textOf(http.onNewConnections(), registry)).toBe('200 2.0');
    expect(registry.requests).toEqual(['2.0', '2.0']);
  });

  it('is not queried a third time when it answers 426 over HTTP/2 too', async () => {
    const registry = await Registry.start(BOTH, (_, reply) => void reply.writeHead(426).end());
    expect(await textOf(client(), registry)).toBe('426 ');
    expect(registry.requests).toEqual(['1.1', '2.0']);
  });
});

describe('a request over HTTP/2', () => {
  it('opens a connection of its own', async () => {
    const registry = await Registry.start(['h2'], sayVersion);
    const http = client();
    await ask(http, registry);
    const before = registry.connections;
    await Promise.all([ask(http, registry), ask(http, registry)]);
    await ask(http.onNewConnections(), registry);
    expect(registry.connections).toBe(before + 3);
  });

  it('fails when the response exceeds the size limit', async () => {
    const registry = await Registry.start(['h2'], (_, reply) => void reply.end('x'.repeat(100_000)));
    expect(await ask(client(), registry)).toMatchObject({ kind: 'no_response', failure: 'too_large' });
  });

  it('fails at its deadline when the server does not answer', async () => {
    const registry = await Registry.start(['h2'], () => undefined);
    const outcome = await ask(client(), registry, { timeoutMs: 200 });
    expect(outcome).toMatchObject({ kind: 'no_response', failure: 'timeout' });
  });

  it('fails when the server closes the connection', async () => {
    const registry = await Registry.start(['h2'], (request) => request.stream.session?.destroy());
    expect(await ask(client(), registry)).toMatchObject({ kind: 'no_response', failure: 'connect' });
  });

  it('is not sent to an address that is not allowed', async () => {
    const registry = await Registry.start(['h2'], sayVersion);
    expect(await ask(client(['127.0.0.2']), registry)).toMatchObject({ kind: 'no_response', failure: 'blocked' });
    expect(registry.connections).toBe(0);
  });
});
