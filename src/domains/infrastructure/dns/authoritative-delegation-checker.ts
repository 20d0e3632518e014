import { randomInt } from 'node:crypto';
import { SECOND } from '../../../kernel/clock.js';
import type { Clock } from '../../../kernel/clock.js';
import { DelegationChecker } from '../../application/ports/delegation-checker.js';
import type { DelegationResult } from '../../domain/lookup/dns-veto.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { toPrintable } from '../answer-text/printable.js';
import { queryDns, type DnsServer, type DnsNoResponse } from './dns-client.js';
import { type DnsAnswer, buildNsQuery } from './dns-message.js';
import { parentZone, type ParentNameServers } from './parent-name-servers.js';

/** For all queries about one name together. */
const TIMEOUT_MS = 3 * SECOND;
/** When the next server is queried, while answers of the earlier ones are still accepted. */
const NEXT_SERVER_DELAY_MS = SECOND;
const MAX_SERVERS = 3;

/** Finds the servers to query. */
export type NameServerSource = Pick<ParentNameServers, 'find' | 'evict'>;
interface ServerAnswer {
  readonly server: string;
  readonly answer: DnsAnswer;
}

/**
 * Asks the name servers of the parent zone whether they delegate the name. Queries overlap: a delegation that any
 * server reports before the timeout counts, and a denial is final only when no answer is outstanding.
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
    // The remaining time is fractional, and timers take whole milliseconds.
    const signal = AbortSignal.timeout(Math.max(Math.ceil(Math.min(deadline, TIMEOUT_MS)), 1));
    const { server, answer } = await this.queryServers(name, signal);
    const { delegation, rule, excerpt } = answer;
    const outcome = OUTCOMES[delegation];
    const ranOutOfTime = delegation === 'inconclusive' && signal.aborted && deadline < TIMEOUT_MS;
    // With too little time, no answer does not mean that the server has moved.
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

/** Without a delegation: a denial, else an answer that explains its failure. */
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

/** Datagrams may get lost, so a lone server is queried twice. */
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

/** An unregistered name: a parent that delegates it delegates everything (wildcard). */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/** The system resolver has its own timeout, which may be longer than ours. */
function orEmptyWhenLate(servers: Promise<readonly DnsServer[]>, signal: AbortSignal): Promise<readonly DnsServer[]> {
  const late = new Promise<readonly DnsServer[]>((resolve) =>
    signal.addEventListener('abort', () => resolve([]), { once: true }),
  );
  return Promise.race([servers, late]);
}
