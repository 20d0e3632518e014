import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTPS receiver that accepts every webhook and counts it; those below /hang get no answer. `GET /` reports, `DELETE /` resets. */
const { TLS_CERT: cert, TLS_KEY: key } = process.env;
let received = 0;
const deliveries = new Set<string>();
const hanging = new Set<ServerResponse>();

const server = createServer({ cert, key }, (request, reply) => {
  if (request.method === 'GET')
    return void reply.end(JSON.stringify({ received, deliveries: deliveries.size, hanging: hanging.size }));
  if (request.method === 'DELETE') {
    received = 0;
    deliveries.clear();
    for (const one of hanging) one.writeHead(204).end();
    hanging.clear();
    return void reply.writeHead(204).end();
  }
  request.resume().on('end', () => {
    if (request.url?.startsWith('/hang')) return void hanging.add(reply);
    received += 1;
    deliveries.add(String(request.headers['x-delivery-id']));
    reply.writeHead(204).end();
  });
});
server.keepAliveTimeout = 30_000;
server.listen(0, '0.0.0.0', () => {
  console.log(`ready at https://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
