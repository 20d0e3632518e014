import { randomInt } from 'node:crypto';
import { SECOND } from '../../../kernel/clock.js';
import type { Clock } from '../../../kernel/clock.js';
import { DelegationChecker } from '../../application/ports/delegation-checker.js';
import type { DelegationResult } from '../../domain/lookup/dns-veto.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { toPrintable } from '../rdap/rdap-json.js';
import { queryDns, type DnsServer, type DnsNoResponse } from './dns-client.js';
import { type DnsAnswer, buildNsQuery } from './dns-message.js';
import { parentZone, type ParentNameServers } from './parent-name-servers.js';

/** For all questions about one name together; milliseconds. */
const TIMEOUT_MS = 3 * SECOND;
/** When the next question goes out, while the earlier ones are still listened to; milliseconds. */
const NEXT_SERVER_DELAY_MS = SECOND;
const MAX_SERVERS = 3;

/** Where the questions go. */
export type NameServerSource = Pick<ParentNameServers, 'find' | 'evict'>;
interface ServerAnswer {
  readonly server: string;
  readonly answer: DnsAnswer;
}

/**
 * Asks the parent's own servers for the delegation. A silent server does not lose its turn when the next one is asked: a
 * delegation that any of them reports before the timeout counts, and a denial settles nothing while another is awaited.
 */
export class AuthoritativeDelegationChecker extends DelegationChecker {
  constructor(
    private readonly servers: NameServerSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async check(name: DomainName, deadline: number): Promise<DelegationResult> {
    const observedAt = this.clock.now();
    // What is left of a look is no whole number, and a timer takes no other.
    const signal = AbortSignal.timeout(Math.max(Math.ceil(Math.min(deadline, TIMEOUT_MS)), 1));
    const { server, answer } = await this.queryServers(name, signal);
    const { delegation, rule, excerpt } = answer;
    const outcome = OUTCOMES[delegation];
    const ranOutOfTime = delegation === 'inconclusive' && signal.aborted && deadline < TIMEOUT_MS;
    // A server that had no time to answer need not have moved.
    if (rule === 'dns.no_answer' && !ranOutOfTime) this.servers.evict(name);
    const evidence = { source: 'dns', server, outcome, rule, httpStatus: null, observedAt, excerpt } as const;
    return { delegation, evidence, ...(ranOutOfTime && { ranOutOfTime }) };
  }

  private async queryServers(name: DomainName, signal: AbortSignal): Promise<ServerAnswer> {
    const finished = new AbortController();
    const stopSignal = AbortSignal.any([signal, finished.signal]);
    const delegated = Promise.withResolvers<ServerAnswer>();
    const conclusive = Promise.withResolvers<'conclusive'>();
    const pendingAnswers: Promise<ServerAnswer>[] = [];
    for (const server of serversToQuery(await orEmptyWhenLate(this.servers.find(name), signal))) {
      if (signal.aborted) break;
      const answer = this.queryServer(server, name, stopSignal);
      pendingAnswers.push(answer);
      void answer.then((serverAnswer) => {
        if (serverAnswer.answer.delegation !== 'inconclusive') conclusive.resolve('conclusive');
        if (serverAnswer.answer.delegation === 'delegated') delegated.resolve(serverAnswer);
      });
      if ((await Promise.race([answer, conclusive.promise, waitForNextServer(stopSignal)])) === 'conclusive') break;
    }
    const serverAnswer = await Promise.race([delegated.promise, Promise.all(pendingAnswers).then(pickBest)]);
    finished.abort();
    return (
      serverAnswer ?? {
        server: `${parentZone(name)}.`,
        answer: toInconclusive('dns.no_servers', 'no server to be asked'),
      }
    );
  }

  private async queryServer(server: DnsServer, name: DomainName, signal: AbortSignal): Promise<ServerAnswer> {
    const answer = await queryDelegation(server, name.ascii, signal);
    if (answer.delegation !== 'delegated') return { server: server.label, answer };
    const controlAnswer = await queryDelegation(server, `${randomLabel()}.${parentZone(name)}`, signal);
    const isMadeUp =
      controlAnswer.delegation === 'delegated' && controlAnswer.nameServers.join() === answer.nameServers.join();
    const wildcard: DnsAnswer = { ...answer, delegation: 'inconclusive', rule: 'dns.wildcard' };
    return { server: server.label, answer: isMadeUp ? wildcard : answer };
  }
}

const OUTCOMES = { delegated: 'found', not_delegated: 'absent', inconclusive: 'inconclusive' } as const;

/** What is said when nothing was delegated: a denial, else an answer that tells why there is none. */
function pickBest(answers: readonly ServerAnswer[]): ServerAnswer | undefined {
  return (
    answers.find(({ answer }) => answer.delegation === 'not_delegated') ??
    answers.findLast(({ answer }) => answer.rule !== 'dns.no_answer') ??
    answers.at(-1)
  );
}

function waitForNextServer(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, NEXT_SERVER_DELAY_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** A datagram may get lost, so a server that stands alone is asked twice. */
function serversToQuery(servers: readonly DnsServer[]): readonly DnsServer[] {
  return servers.length === 1 ? [...servers, ...servers] : servers.slice(0, MAX_SERVERS);
}

async function queryDelegation(server: DnsServer, name: string, signal: AbortSignal): Promise<DnsAnswer> {
  const outcome: DnsAnswer | DnsNoResponse = await queryDns(server, buildNsQuery(name), signal);
  return outcome.kind === 'answer' ? outcome : toInconclusive('dns.no_answer', outcome.detail);
}

function toInconclusive(rule: string, detail: string): DnsAnswer {
  const excerpt = toPrintable(detail).slice(0, 500);
  return { kind: 'answer', delegation: 'inconclusive', rule, excerpt, nameServers: [] };
}

/** A name that nobody registered: a parent that delegates it delegates everything. */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/** The system's resolver keeps its own time; ours may be up before. */
function orEmptyWhenLate(servers: Promise<readonly DnsServer[]>, signal: AbortSignal): Promise<readonly DnsServer[]> {
  const late = new Promise<readonly DnsServer[]>((resolve) =>
    signal.addEventListener('abort', () => resolve([]), { once: true }),
  );
  return Promise.race([servers, late]);
}
