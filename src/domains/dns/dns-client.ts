import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DnsQuery, MAX_MESSAGE_BYTES, type NoDnsAnswer } from './dns-message.js';
import { SECOND } from '../../kernel/clock.js';

export interface DnsServer {
  /** The server's name, as the evidence of an answer shows it. */
  readonly label: string;
  readonly address: string;
  readonly port: number;
  /** Whether the administrator configured the server as authoritative for parent zones. */
  readonly isParent: boolean;
}

/** A query without a response: a timeout, a failed connection, or only replies to other queries. */
export interface DnsNoResponse {
  readonly kind: 'no_response';
  readonly detail: string;
}

interface Answered {
  readonly kind: 'answer';
}
type DnsOutcome<Answer extends Answered> = Answer | NoDnsAnswer | DnsNoResponse;
type Parse<Answer extends Answered> = (bytes: Buffer, query: DnsQuery, isParent: boolean) => Answer | NoDnsAnswer;

/** Sends one query to one server over UDP, and again over TCP if the answer is truncated (RFC 7766 §5). */
export async function queryDns<Answer extends Answered>(
  server: DnsServer,
  query: DnsQuery,
  parseAnswer: Parse<Answer>,
  signal: AbortSignal,
): Promise<Answer | DnsNoResponse> {
  const parse: ParseBytes<Answer> = (bytes) => parseAnswer(bytes, query, server.isParent);
  const udpOutcome = await queryUdp(server, query, parse, signal);
  const outcome = udpOutcome.kind === 'truncated' ? await queryTcp(server, query, parse, signal) : udpOutcome;
  return outcome.kind === 'foreign' || outcome.kind === 'truncated'
    ? toNoResponse('no answer to this question')
    : outcome;
}

type ParseBytes<Answer extends Answered> = (bytes: Buffer) => Answer | NoDnsAnswer;

/** Uses a new connected socket, so that attackers must guess its random port. */
function queryUdp<Answer extends Answered>(
  { address, port }: DnsServer,
  { bytes }: DnsQuery,
  parse: ParseBytes<Answer>,
  signal: AbortSignal,
) {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  return settleOnce<Answer>(
    signal,
    (settle) => {
      socket.on('error', (error) => settle(toNoResponse(error.message)));
      socket.on('message', (datagram) => {
        const message = parse(datagram);
        // a reply that does not match the query may be forged
        if (message.kind !== 'foreign') settle(message);
      });
      socket.connect(port, address, (error?: Error) =>
        error ? settle(toNoResponse(error.message)) : socket.send(bytes),
      );
    },
    () => socket.close(),
  );
}

/** Sends the query over TCP, where two bytes with the length precede each message (RFC 1035 §4.2.2). */
function queryTcp<Answer extends Answered>(
  { address, port }: DnsServer,
  { bytes }: DnsQuery,
  parse: ParseBytes<Answer>,
  signal: AbortSignal,
) {
  const socket = connect({ host: address, port });
  let received = Buffer.alloc(0);
  return settleOnce<Answer>(
    signal,
    (settle) => {
      socket.on('error', (error) => settle(toNoResponse(error.message)));
      socket.on('close', () => settle(toNoResponse('the connection ended before the answer did')));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const end = received.length < 2 ? Infinity : received.readUInt16BE(0) + 2;
        if (end < Infinity && end > MAX_MESSAGE_BYTES + 2) settle(toNoResponse(`an answer of ${end - 2} bytes`));
        else if (received.length >= end) settle(parse(received.subarray(2, end)));
      });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.write(Buffer.concat([length, bytes]));
    },
    () => socket.destroy(),
  );
}

function settleOnce<Answer extends Answered>(
  signal: AbortSignal,
  listen: (settle: (outcome: DnsOutcome<Answer>) => void) => void,
  cleanUp: () => void,
) {
  return new Promise<DnsOutcome<Answer>>((resolve) => {
    let isSettled = false;
    const settle = (outcome: DnsOutcome<Answer>) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', onAbort);
      cleanUp();
      resolve(outcome);
    };
    const onAbort = () => settle(toNoResponse('no answer in time'));
    listen(settle);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function toNoResponse(detail: string): DnsNoResponse {
  return { kind: 'no_response', detail };
}

/** If a server takes longer than this, the next server is asked too. The first server's answer still counts. */
const NEXT_SERVER_DELAY_MS = SECOND;
const MAX_SERVERS = 3;

export interface ServerAnswer<Answer> {
  readonly server: string;
  readonly answer: Answer;
}

/** `final`: no other answer matters. `conclusive`: no further server is asked, but answers under way count. */
export type Weight = 'final' | 'conclusive' | 'inconclusive';

/**
 * Asks one server after another until an answer is conclusive.
 * @returns only the `final` answer, or all answers in the order of the servers
 */
export async function queryServers<Answer>(
  servers: readonly DnsServer[],
  query: (server: DnsServer, signal: AbortSignal) => Promise<Answer>,
  weigh: (answer: Answer) => Weight,
  signal: AbortSignal,
): Promise<readonly ServerAnswer<Answer>[]> {
  const finished = new AbortController();
  const stopSignal = AbortSignal.any([signal, finished.signal]);
  const final = Promise.withResolvers<readonly ServerAnswer<Answer>[]>();
  const conclusive = Promise.withResolvers<void>();
  const pendingAnswers: Promise<ServerAnswer<Answer>>[] = [];
  let isConclusive = false;
  for (const server of serversToQuery(servers)) {
    if (signal.aborted || isConclusive) break;
    const pending = query(server, stopSignal).then((answer) => {
      const weight = weigh(answer);
      isConclusive ||= weight !== 'inconclusive';
      if (isConclusive) conclusive.resolve();
      if (weight === 'final') final.resolve([{ server: server.label, answer }]);
      return { server: server.label, answer };
    });
    pendingAnswers.push(pending);
    await Promise.race([pending, conclusive.promise, waitForNextServer(stopSignal)]);
  }
  const answers = await Promise.race([final.promise, Promise.all(pendingAnswers)]);
  finished.abort();
  return answers;
}

/** Queries a lone server twice, because datagrams may get lost. */
function serversToQuery(servers: readonly DnsServer[]): readonly DnsServer[] {
  return servers.length === 1 ? [...servers, ...servers] : servers.slice(0, MAX_SERVERS);
}

function waitForNextServer(signal: AbortSignal): Promise<void> {
  return sleep(NEXT_SERVER_DELAY_MS, undefined, { signal }).catch(() => undefined);
}
