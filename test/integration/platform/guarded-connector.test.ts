import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { createSecureContext } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { request, type Agent } from 'undici';
import { AddressGuard } from '../../../src/platform/outbound/address-guard.js';
import { createOutboundAgent, type OutboundOptions } from '../../../src/platform/outbound/outbound-agent.js';
import { toOutboundError, type OutboundFailure } from '../../../src/platform/outbound/outbound-error.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { Listening } from '../../world/listening.js';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

describe('a connection to a host name', () => {
  it('resolves the name once, and uses the address that was checked', async () => {
    const server = await listening(createServer((_, reply) => reply.end('inner')));
    const resolver = scripted(['127.0.0.1']);
    const agent = agentWith({ networks: ['127.0.0.1'], resolve: resolver.resolve });
    const { body } = await request(`http://registry.example:${server.port}/`, { dispatcher: agent });
    expect(await body.text()).toBe('inner');
    expect(resolver.asked).toEqual(['registry.example']);
  });

  it('is refused once the name resolves to a forbidden address, though it was allowed before', async () => {
    const inner = await listening(createServer((_, reply) => reply.end('inner')));
    const outer = await listening(
      createServer((_, reply) => reply.end('outer')),
      '127.0.0.2',
      inner.port,
    );
    const { resolve } = scripted(['127.0.0.2'], ['127.0.0.1']);
    const agent = agentWith({ networks: ['127.0.0.2'], resolve, keepAliveMs: 0 });
    const url = `http://rebinding.example:${outer.port}/`;
    const { body } = await request(url, { dispatcher: agent });
    expect(await body.text()).toBe('outer');
    expect(await failureOf(url, agent)).toBe('blocked');
    expect(inner.accepted).toBe(0);
  });

  it('is refused if any of the name’s addresses is forbidden, in any position', async () => {
    const inner = await listening(createServer((_, reply) => reply.end('inner')));
    for (const answer of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['2606:4700::1', '::1'],
    ]) {
      const agent = agentWith({ resolve: scripted(answer).resolve });
      expect(await failureOf(`http://mixed.example:${inner.port}/`, agent)).toBe('blocked');
    }
    expect(inner.accepted).toBe(0);
  });

  it('fails with "dns" if the name has no address or does not exist', async () => {
    expect(await failureOf('http://empty.example/', agentWith({ resolve: scripted([]).resolve }))).toBe('dns');
    const notFound = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    expect(await failureOf('http://missing.example/', agentWith({ resolve: notFound }))).toBe('dns');
    expect(await failureOf('http://missing.invalid/', agentWith({}))).toBe('dns');
  });

  it('is refused for localhost, because that resolves to the loopback address', async () => {
    const inner = await listening(createServer((_, reply) => reply.end('inner')));
    expect(await failureOf(`http://localhost:${inner.port}/`, agentWith({}))).toBe('blocked');
    expect(inner.accepted).toBe(0);
  });
});

describe('a connection to an IP address', () => {
  // address-guard.test.ts has more of them, webhook-target.test.ts more spellings
  const LOOPBACK = [
    '127.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '0',
    '[::1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '①②⑦.⓪.⓪.①',
  ];

  it.each(LOOPBACK)('is refused for this spelling of a local address: http://%s/', async (host) => {
    const inner = await listening(createServer((_, reply) => reply.end('inner')));
    expect(await failureOf(`http://${host}:${inner.port}/`, agentWith({}))).toBe('blocked');
    expect(inner.accepted).toBe(0);
  });

  it('is made if the administrator allows the network, also for an IPv4-mapped IPv6 address', async () => {
    const server = await listening(createServer((_, reply) => reply.end('inner')));
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]']) {
      const { statusCode } = await request(`http://${host}:${server.port}/`, {
        dispatcher: agentWith({ networks: ['127.0.0.0/8'] }),
      });
      expect(statusCode).toBe(200);
    }
  });

  it('is checked with its port, so a rule can refuse one port of a host', async () => {
    const server = await listening(createServer((_, reply) => reply.end('inner')));
    const guard = { permits: (address: string, port?: number) => address === '127.0.0.1' && port !== server.port };
    const agent = createOutboundAgent({ guard });
    open.push(() => agent.destroy());
    expect(await failureOf(`http://127.0.0.1:${server.port}/`, agent)).toBe('blocked');
  });
});

describe('a connection that fails', () => {
  const loopback = { networks: ['127.0.0.0/8'] };

  it('is reported as "connect" if the port is closed or the server disconnects', async () => {
    const silent = await listening(createTcpServer((socket) => socket.destroy()));
    const url = `http://127.0.0.1:${silent.port}/`;
    expect(await failureOf(url, agentWith(loopback))).toBe('connect');
    await silent.close();
    expect(await failureOf(url, agentWith(loopback))).toBe('connect');
  });

  it('is reported as "tls" if the certificate is not trusted or for another host', async () => {
    const authority = await CertificateAuthority.create();
    const { key, cert } = await authority.issue(['registry.example']);
    const server = await listening(createTlsServer({ key, cert }, (_, reply) => reply.end()));
    const { resolve } = scripted(['127.0.0.1']);
    const secureContext = createSecureContext({ ca: authority.cert });
    const url = (host: string) => `https://${host}:${server.port}/`;
    expect(await failureOf(url('registry.example'), agentWith({ ...loopback, resolve }))).toBe('tls');
    expect(await failureOf(url('other.example'), agentWith({ ...loopback, resolve, secureContext }))).toBe('tls');
    const vouched = agentWith({ ...loopback, resolve, secureContext });
    expect((await request(url('registry.example'), { dispatcher: vouched })).statusCode).toBe(200);
  });

  it('is reported as "timeout" if the TLS handshake or the whole exchange takes too long', async () => {
    const mute = await listening(createTcpServer(() => undefined));
    const handshake = agentWith({ ...loopback, connectTimeoutMs: 100 });
    expect(await failureOf(`https://127.0.0.1:${mute.port}/`, handshake)).toBe('timeout');
    const signal = AbortSignal.timeout(100);
    expect(await failureOf(`http://127.0.0.1:${mute.port}/`, agentWith(loopback), signal)).toBe('timeout');
  });

  it('gets no network failure code if the error did not come from the network', () => {
    expect(toOutboundError(new TypeError('a bug'))).toBeNull();
    expect(toOutboundError('not even an error')).toBeNull();
  });
});

function agentWith({ networks, ...options }: Omit<OutboundOptions, 'guard'> & { networks?: string[] }): Agent {
  const agent = createOutboundAgent({ guard: new AddressGuard(networks), ...options });
  open.push(() => agent.destroy());
  return agent;
}

async function failureOf(url: string, dispatcher: Agent, signal?: AbortSignal): Promise<OutboundFailure | undefined> {
  try {
    await request(url, { dispatcher, ...(signal ? { signal } : {}) });
  } catch (error) {
    return toOutboundError(error)?.failure;
  }
  return undefined;
}

/** Answers each question with the next of the scripted address lists, then with the last one for ever. */
function scripted(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = (hostname: string): Promise<LookupAddress[]> => {
    asked.push(hostname);
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    return Promise.resolve(answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  return { asked, resolve };
}

async function listening(server: Server, host = '127.0.0.1', port = 0): Promise<Listening> {
  const found = await Listening.on(server, port, host);
  open.push(() => found.close());
  return found;
}
