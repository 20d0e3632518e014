import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DnsMessage, type DnsQuery, type DnsAnswer, MAX_MESSAGE_BYTES, parseMessage } from './dns-message.js';

export interface DnsServer {
  /** What evidence calls it. */
  readonly label: string;
  readonly address: string;
  readonly port: number;
  /** True when the operator says that it speaks for the parent zone, whatever its answers claim. */
  readonly isParent: boolean;
}

/** No answer came: by then the time was up, the connection failed, or only strangers spoke. */
export interface DnsNoResponse {
  readonly kind: 'silence';
  readonly detail: string;
}

type DnsOutcome = DnsMessage | DnsNoResponse;
type Parse = (bytes: Buffer) => DnsMessage;

/** One question to one server over UDP, and over TCP when the answer is truncated there (RFC 7766 §5). */
export async function queryDns(
  server: DnsServer,
  question: DnsQuery,
  signal: AbortSignal,
): Promise<DnsAnswer | DnsNoResponse> {
  const read: Parse = (bytes) => parseMessage(bytes, question, server.isParent);
  const heard = await queryUdp(server, question, read, signal);
  const whole = heard.kind === 'truncated' ? await queryTcp(server, question, read, signal) : heard;
  return whole.kind === 'foreign' || whole.kind === 'truncated' ? toNoResponse('no answer to this question') : whole;
}

/**
 * The socket is new, so its port is random, and connected, so datagrams of any other source never reach it. What is no
 * answer to this question is ignored, however much of it comes: it may be a forger's, and must not end the wait.
 */
function queryUdp({ address, port }: DnsServer, { bytes }: DnsQuery, read: Parse, signal: AbortSignal) {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  return settleOnce(
    signal,
    (heard) => {
      socket.on('error', (error) => heard(toNoResponse(error.message)));
      socket.on('message', (datagram) => {
        const message = read(datagram);
        if (message.kind !== 'foreign') heard(message);
      });
      socket.connect(port, address, (error?: Error) =>
        error ? heard(toNoResponse(error.message)) : socket.send(bytes),
      );
    },
    () => socket.close(),
  );
}

/** A message over TCP follows its length in two bytes (RFC 1035 §4.2.2). */
function queryTcp({ address, port }: DnsServer, { bytes }: DnsQuery, read: Parse, signal: AbortSignal) {
  const socket = connect({ host: address, port });
  let received = Buffer.alloc(0);
  return settleOnce(
    signal,
    (heard) => {
      socket.on('error', (error) => heard(toNoResponse(error.message)));
      socket.on('close', () => heard(toNoResponse('the connection ended before the answer did')));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const end = received.length < 2 ? Infinity : received.readUInt16BE(0) + 2;
        if (end < Infinity && end > MAX_MESSAGE_BYTES + 2) heard(toNoResponse(`an answer of ${end - 2} bytes`));
        else if (received.length >= end) heard(read(received.subarray(2, end)));
      });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.write(Buffer.concat([length, bytes]));
    },
    () => socket.destroy(),
  );
}

/** Listens until something is heard or the time is up, then cleans up, whichever came first. */
function settleOnce(signal: AbortSignal, listen: (heard: (what: DnsOutcome) => void) => void, cleanUp: () => void) {
  return new Promise<DnsOutcome>((resolve) => {
    let isOver = false;
    const heard = (what: DnsOutcome) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      cleanUp();
      resolve(what);
    };
    const onAbort = () => heard(toNoResponse('no answer in time'));
    listen(heard);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function toNoResponse(detail: string): DnsNoResponse {
  return { kind: 'silence', detail };
}
