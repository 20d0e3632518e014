import assert from 'node:assert/strict';
import {
  findPublicZones,
  findSourceProblems,
  type LookupSource,
  RegistryHttpClient,
  type SourceAnswer,
  type SourceServer,
  validateAnswer,
  validateServers,
} from '../domains/index.js';
import { DomainName } from '../domains/language.js';
import { withTimeout } from '../kernel/promises.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { createOutboundAgent } from '../platform/outbound/outbound-agent.js';
import type { ContractCase } from './contract-case.js';

/** Describes a lookup source, and the responses of the test's own registry server. */
export interface LookupSourceContract {
  /** Creates a source for each case. The client may connect to loopback. */
  readonly create: (http: RegistryHttpClient) => LookupSource | Promise<LookupSource>;
  /** A name that the server reports as registered. */
  readonly registered: string;
  /** A name without a record, under a TLD of the source. */
  readonly unregistered: string;
  /** Names for which the server responds with an error: an outage, a rate limit, or a proxy's page. */
  readonly failing: readonly string[];
  /** A name for which the server never responds. */
  readonly silent: string;
  /**
   * Texts of requests or responses, such as credentials or registrants, that must not appear in the source's answers.
   */
  readonly confidential?: readonly string[];
}

const LOOPBACK = ['127.0.0.0/8', '::1'];
const TIMEOUT_MS = 10_000;
const ABORT_AFTER_MS = 50;
const MAX_MS_AFTER_ABORT = 1_000;
const MAX_EXCERPT_LENGTH = 10_000;
const CONTACT = /[\w.+-]+@[\w-]+\.[\w.]+|\+\d{1,3}[. ]\d{6,}/;

/** Returns test cases with the rules for every lookup source. Each case creates its own source. */
export function lookupSourceContract(contract: LookupSourceContract): ContractCase[] {
  const { registered, unregistered, failing, silent } = contract;
  return [
    contractCase('has a valid name, role and budget', contract, (source) => {
      assert.deepEqual(findSourceProblems(source), []);
    }),
    contractCase('serves top-level domains by their servers', contract, (source) => {
      const { servers, problems } = validateServers(source.servers());
      assert.deepEqual(problems, []);
      assert.ok(servers.has(tldOf(registered)), `servers() has no server for .${tldOf(registered)}`);
    }),
    contractCase('has a private zone only where the public DNS has none', contract, (source) => {
      const [tld] = findPublicZones(source, source.servers().keys());
      assert.equal(tld, undefined, `hasPrivateZone is true, and .${tld} is in the public DNS`);
    }),
    contractCase('finds a registered name', contract, async (source) => {
      assert.equal(summarize(await ask(source, registered)), 'found');
    }),
    contractCase('reports a name without a record as absent', contract, async (source) => {
      assert.equal(summarize(await ask(source, unregistered)), 'absent');
    }),
    ...failing.map((name) =>
      contractCase(`answers ${name} with a failure`, contract, async (source) => {
        assert.equal((await ask(source, name)).kind, 'failure');
      }),
    ),
    contractCase('ends when its signal aborts', contract, (source) => endsWhenAborted(source, silent)),
    contractCase('keeps questions apart that are asked at once', contract, async (source) => {
      const answers = [ask(source, registered), ask(source, unregistered), ask(source, registered)];
      assert.deepEqual((await Promise.all(answers)).map(summarize), ['found', 'absent', 'found']);
    }),
    contractCase('keeps contacts and secrets out of its evidence', contract, async (source) => {
      for (const name of [registered, unregistered, ...failing])
        checkExcerpt(await ask(source, name), contract.confidential ?? []);
    }),
  ];
}

function contractCase(
  name: string,
  { create }: LookupSourceContract,
  check: (source: LookupSource) => void | Promise<void>,
): ContractCase {
  const run = async () => {
    const http = new RegistryHttpClient(createOutboundAgent({ guard: new AddressGuard(LOOPBACK) }));
    try {
      await check(await create(http));
    } finally {
      await http.onApplicationShutdown();
    }
  };
  return { name, run };
}

/** Asks the source, with frozen objects as in the service. Rejects if the source's answer has a wrong form. */
async function ask(source: LookupSource, name: string, signal?: AbortSignal): Promise<SourceAnswer> {
  const server = serverFor(source, name);
  const domain = Object.freeze(DomainName.restore(name));
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await source.ask(domain, server, signal ?? limit);
  assert.ok(!limit.aborted, `no answer within ${TIMEOUT_MS / 1_000} seconds`);
  validateAnswer(answer, source.name, ({ host, port }) => ({ host, port, label: host, isOverride: false }));
  return answer;
}

function serverFor(source: LookupSource, name: string): SourceServer {
  const server = source.servers().get(tldOf(name));
  assert.ok(server, `servers() has no server for .${tldOf(name)}`);
  return Object.freeze({ ...server });
}

/** Checks that an aborted query ends soon. The source may return a failure or throw. */
async function endsWhenAborted(source: LookupSource, name: string): Promise<void> {
  const controller = new AbortController();
  const answer = ask(source, name, controller.signal).then(
    ({ kind }): string => kind,
    () => 'failure',
  );
  setTimeout(() => controller.abort(new DOMException('The deadline has passed', 'TimeoutError')), ABORT_AFTER_MS);
  const outcome = await withTimeout(ABORT_AFTER_MS + MAX_MS_AFTER_ABORT, answer, () => 'nothing');
  assert.equal(outcome, 'failure', `after its signal aborted there was ${outcome}`);
}

function checkExcerpt({ excerpt }: SourceAnswer, confidential: readonly string[]): void {
  assert.ok(excerpt.length <= MAX_EXCERPT_LENGTH, `an excerpt has ${excerpt.length} characters; 500 are kept`);
  assert.doesNotMatch(excerpt, CONTACT, 'an excerpt has a mail address or a telephone number');
  for (const text of confidential) assert.ok(!excerpt.includes(text), 'an excerpt has a confidential text');
}

function summarize(answer: SourceAnswer): string {
  return answer.kind === 'facts' ? answer.facts.outcome : answer.kind;
}

function tldOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
