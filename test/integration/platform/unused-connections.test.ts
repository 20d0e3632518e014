import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { closeUnusedConnections } from '../../../src/platform/http/hooks/connections.js';

it('an unused connection does not delay shutdown, one with a request does', async () => {
  const fastify = Fastify({ forceCloseConnections: 'idle' });
  closeUnusedConnections(fastify);
  const answer = Promise.withResolvers<string>();
  fastify.get('/', () => answer.promise);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;

  const silent = connect(port, '127.0.0.1');
  const asking = connect(port, '127.0.0.1');
  asking.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
  await Promise.all([once(silent, 'connect'), once(fastify.server, 'request')]);
  const closed = fastify.close();
  await once(silent, 'close');
  answer.resolve('done');
  expect(await text(asking)).toMatch(/^HTTP\/1.1 200 OK[^]*done$/);
  await closed;
});
