import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DnsMessage, type DnsQuestion, type DnsReading, MESSAGE_LIMIT, readMessage } from './dns-message.js';

export interface DnsServer {
  /** What evidence calls it. */
  readonly label: string;
  readonly address: string;
  readonly port: number;
  /** True when the operator says that it speaks for the parent zone, whatever its answers claim. */
  readonly isParent: boolean;
}

/** No answer came: by then the time was up, the connection failed, or only strangers spoke. */
export interface DnsSilence {
  readonly kind: 'silence';
  readonly detail: string;
}

type Heard = DnsMessage | DnsSilence;
type Read = (bytes: Buffer) => DnsMessage;

/** One question to one server over UDP, and over TCP when the answer is truncated there (RFC 7766 §5). */
export async function ask(
  server: DnsServer,
  question: DnsQuestion,
  signal: AbortSignal,
): Promise<DnsReading | DnsSilence> {
  const read: Read = (bytes) => readMessage(bytes, question, server.isParent);
  const heard = await overUdp(server, question, read, signal);
  const whole = heard.kind === 'truncated' ? await overTcp(server, question, read, signal) : heard;
  return whole.kind === 'foreign' || whole.kind === 'truncated' ? silence('no answer to this question') : whole;
}

/**
 * The socket is new, so its port is random, and connected, so datagrams of any other source never reach it. What is no
 * answer to this question is ignored, however much of it comes: it may be a forger's, and must not end the wait.
 */
function overUdp({ address, port }: DnsServer, { bytes }: DnsQuestion, read: Read, signal: AbortSignal) {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  return once(
    signal,
    (heard) => {
      socket.on('error', (error) => heard(silence(error.message)));
      socket.on('message', (datagram) => {
        const message = read(datagram);
        if (message.kind !== 'foreign') heard(message);
      });
      socket.connect(port, address, (error?: Error) => (error ? heard(silence(error.message)) : socket.send(bytes)));
    },
    () => socket.close(),
  );
}

/** A message over TCP follows its length in two bytes (RFC 1035 §4.2.2). */
function overTcp({ address, port }: DnsServer, { bytes }: DnsQuestion, read: Read, signal: AbortSignal) {
  const socket = connect({ host: address, port });
  let received = Buffer.alloc(0);
  return once(
    signal,
    (heard) => {
      socket.on('error', (error) => heard(silence(error.message)));
      socket.on('close', () => heard(silence('the connection ended before the answer did')));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const end = received.length < 2 ? Infinity : received.readUInt16BE(0) + 2;
        if (end < Infinity && end > MESSAGE_LIMIT + 2) heard(silence(`an answer of ${end - 2} bytes`));
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
function once(signal: AbortSignal, listen: (heard: (what: Heard) => void) => void, cleanUp: () => void) {
  return new Promise<Heard>((resolve) => {
    let isOver = false;
    const heard = (what: Heard) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      cleanUp();
      resolve(what);
    };
    const onAbort = () => heard(silence('no answer in time'));
    listen(heard);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function silence(detail: string): DnsSilence {
  return { kind: 'silence', detail };
}
