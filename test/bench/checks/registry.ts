import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toRdapRecord } from './record.js';

/** A registry on loopback that has every name, as fast as Node answers. */
const server = createServer((request, reply) => {
  const { url = '' } = request;
  const body = toRdapRecord(url.slice(url.lastIndexOf('/') + 1));
  reply.writeHead(200, { 'content-type': 'application/rdap+json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}/rdap/`);
});
process.once('SIGTERM', () => process.exit());
