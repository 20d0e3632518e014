import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { toRdapRecord } from '../checks/record.js';

/**
 * A registry on loopback that has every name, and that leaves the two cores to those who ask: it knows as much of HTTP
 * as a GET on a connection that stays open needs, and costs half of what Node's own server does. With TLS_CERT and
 * TLS_KEY it speaks TLS 1.3 only.
 */
const END = '\r\n\r\n';
const { TLS_CERT: cert, TLS_KEY: key } = process.env;

const server = cert === undefined ? createServer(serve) : createTlsServer({ cert, key, minVersion: 'TLSv1.3' }, serve);
server.listen(0, '127.0.0.1', () => {
  const scheme = cert === undefined ? 'http' : 'https';
  console.log(`ready at ${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/rdap/`);
});
process.once('SIGTERM', () => process.exit());

function serve(socket: Socket): void {
  let buffered = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => (buffered = answerAll(socket, buffered + chunk.toString('latin1'))));
}

/** @returns what is no whole request yet */
function answerAll(socket: Socket, buffered: string): string {
  let rest = buffered;
  for (let end = rest.indexOf(END); end >= 0; end = rest.indexOf(END)) {
    const target = rest.slice(rest.indexOf(' ') + 1, rest.indexOf(' HTTP/1.1'));
    const body = toRdapRecord(target.slice(target.lastIndexOf('/') + 1));
    const headers = `content-type: application/rdap+json\r\ncontent-length: ${body.length}`;
    socket.write(`HTTP/1.1 200 OK\r\n${headers}${END}${body}`, 'latin1');
    rest = rest.slice(end + END.length);
  }
  return rest;
}
