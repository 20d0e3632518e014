import { SECOND } from '../../kernel/clock.js';
import type { DnsServer } from './dns-client.js';

/** When the next server is queried, while answers of the earlier ones are still accepted. */
const NEXT_SERVER_DELAY_MS = SECOND;
const MAX_SERVERS = 3;

export interface ServerAnswer<Answer> {
  readonly server: string;
  readonly answer: Answer;
}

/** `final`: no other answer matters. `conclusive`: no other server has to be asked, but answers under way count. */
export type Weight = 'final' | 'conclusive' | 'inconclusive';

/**
 * Asks servers in turn until an answer is conclusive. Queries overlap: those under way are waited for, unless one is
 * final.
 * @returns the final answer alone, or all answers in the order of the servers; none where there is no server
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

/** Datagrams may get lost, so a lone server is queried twice. */
function serversToQuery(servers: readonly DnsServer[]): readonly DnsServer[] {
  return servers.length === 1 ? [...servers, ...servers] : servers.slice(0, MAX_SERVERS);
}

function waitForNextServer(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, NEXT_SERVER_DELAY_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
