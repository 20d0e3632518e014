import { afterEach, describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { UnlimitedAdmission, type Permit } from '../../../../src/domains/rate-limiting/registry-admission.js';
import { rdapServer } from '../../../../src/domains/rdap/rdap-server.js';
import { RegistryHttpClient } from '../../../../src/domains/transport/registry-http-client.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { createOutboundAgent } from '../../../../src/platform/outbound/outbound-agent.js';
import { FakeRegistry } from '../../../world/registry.js';
import { loopbackHttp, rdapLookup } from '../../../support/builders/lookup-sources.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { registryFaults, type RegistryAnswer, saying } from '../../../world/registry-faults.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const NAME = 'example.com';
const clock = new TestClock();
const registry = running(() => FakeRegistry.start());
const http = loopbackHttp();
const rdap = rdapLookup(http, undefined, clock);

afterEach(() => registry.releases(NAME));

const server = (base = registry.url) => rdapServer(new URL(base), true);
const lookUp = (deadline = 5_000, name = NAME) =>
  rdap.lookUp(DomainName.restore(name), server(), deadline).then(({ result }) => result);

async function lookUpAnswer(answer: RegistryAnswer, deadline?: number): Promise<LookupResult> {
  registry.says(NAME, answer);
  return lookUp(deadline);
}

/** `outcome` or `code`, and the rule that decided it. */
async function verdictOf(answer: RegistryAnswer, deadline?: number): Promise<string> {
  const seen = await lookUpAnswer(answer, deadline);
  return `${seen.kind === 'observation' ? seen.facts.outcome : seen.code} by ${seen.evidence[0]?.rule}`;
}

describe('a lookup at a correct registry', () => {
  it('observes a registration, with its evidence', async () => {
    const expiresAt = new Date('2028-08-13T04:00:00Z');
    registry.holds(NAME, { statuses: ['client hold'], expiresAt });
    expect(await lookUp()).toEqual({
      kind: 'observation',
      facts: expect.objectContaining({ outcome: 'found', statuses: ['client hold'], expiresAt }),
      record: { nameservers: null, registrar: null, statuses: ['client hold'], ds: null, lastTransferAt: null },
      source: 'rdap',
      observedAt: clock.now(),
      witnesses: 1,
      recheckWithinMs: null,
      evidence: [
        {
          source: 'rdap',
          server: registry.host,
          outcome: 'found',
          rule: 'rdap.200',
          httpStatus: 200,
          observedAt: clock.now(),
          excerpt: expect.stringContaining('client hold'),
        },
      ],
    });
  });

  it('observes an absence', async () => {
    expect(await lookUp()).toMatchObject({
      kind: 'observation',
      facts: { outcome: 'absent', registrable: 'yes' },
      witnesses: 1,
    });
  });

  it('requests RDAP, uncompressed, with its own user agent', async () => {
    await lookUp();
    expect(registry.requests.at(-1)?.headers).toMatchObject({
      accept: 'application/rdap+json',
      'accept-encoding': 'identity',
      'user-agent': expect.stringMatching(/^namewatch\/\d/),
    });
  });

  it('reports the remaining time, without the wait for admission', async () => {
    const permit = Promise.withResolvers<Permit>();
    const admission = new UnlimitedAdmission();
    admission.acquire = () => permit.promise;
    const lookup = rdapLookup(http, admission, clock).lookUp(DomainName.restore(NAME), server(), 5_000);
    await lookUp(5_000, 'meanwhile.com');
    const admittedAt = performance.now();
    permit.resolve({ kind: 'permit', release: () => undefined });
    const { remainingMs } = await lookup;
    expect(remainingMs).toBeLessThan(5_000);
    expect(remainingMs).toBeGreaterThanOrEqual(5_000 - (performance.now() - admittedAt));
  });

  it('sends one request', async () => {
    const before = registry.queries('once.com');
    await lookUp(5_000, 'once.com');
    expect(registry.queries('once.com') - before).toBe(1);
  });
});

describe('a lookup at a faulty registry', () => {
  it.each<[string, RegistryAnswer, string]>([
    ['a refusal', registryFaults.forbidden, 'registry_answer_unusable by rdap.403'],
    ['a refusal with a quota', registryFaults.unauthorised, 'registry_answer_unusable by rdap.401'],
    ['a gzip bomb', registryFaults.gzipBomb, 'registry_answer_unusable by rdap.compressed'],
    ['a gigabyte', registryFaults.endless, 'registry_answer_unusable by rdap.too_large'],
    ['a greeting of another protocol', registryFaults.noHttp, 'registry_answer_unusable by rdap.not_http'],
    ['a body cut off', registryFaults.cutOff, 'registry_unreachable by rdap.connect'],
    ['a closed connection', registryFaults.hangUp, 'registry_unreachable by rdap.connect'],
  ])('handles %s', async (_what, answer, verdict) => {
    expect(await verdictOf(answer)).toBe(verdict);
  });

  it.each([
    ['a drip of bytes', registryFaults.drip],
    ['silence', registryFaults.silence],
    ['a promise of much more than is read', registryFaults.boasting],
    ['promises of an answer, without an end', registryFaults.onlyPromises],
  ])('ends at its deadline when the registry sends %s', async (_what, answer) => {
    expect(await verdictOf(answer, 300)).toBe('registry_timeout by rdap.timeout');
  });

  it('returns the Retry-After and the registry', async () => {
    expect(await lookUpAnswer(registryFaults.throttled('120'))).toMatchObject({
      kind: 'failure',
      code: 'registry_throttled',
      retryAfterSeconds: 120,
      registry: registry.host,
      evidence: [{ outcome: 'inconclusive', httpStatus: 429 }],
    });
  });

  it('reads responses of just under 512 kB', async () => {
    const padded = (size: number) => ({ ...rdapNotFound(), padding: ' '.repeat(size) });
    expect(await verdictOf(saying(404, padded(510 * 1_024)))).toBe('absent by rdap.404');
    expect(await verdictOf(saying(404, padded(512 * 1_024)))).toBe('registry_answer_unusable by rdap.too_large');
  });

  it('is unreachable when nothing listens, the address is not public, or the host does not exist', async () => {
    const gone = await FakeRegistry.start();
    const { url } = gone;
    await gone.stop();
    const strict = new RegistryHttpClient(createOutboundAgent({ guard: new AddressGuard() }));
    const name = DomainName.restore(NAME);
    const results = [
      (await rdap.lookUp(name, server(url), 1_000)).result,
      (await rdapLookup(strict).lookUp(name, server(), 1_000)).result,
      (await rdap.lookUp(name, server('http://rdap.invalid/'), 1_000)).result,
    ];
    await strict.onApplicationShutdown();
    expect(results.map((seen) => (seen.kind === 'failure' ? [seen.code, seen.evidence[0]?.rule] : seen))).toEqual([
      ['registry_unreachable', 'rdap.connect'],
      ['registry_unreachable', 'rdap.blocked'],
      ['registry_unreachable', 'rdap.dns'],
    ]);
  });

  it('reads the next response correctly after each faulty one', async () => {
    for (const lie of [registryFaults.endless, registryFaults.cutOff, registryFaults.gzipBomb, registryFaults.noHttp]) {
      await lookUpAnswer(lie);
      expect(await verdictOf(saying(200, rdapRecord(NAME)))).toBe('found by rdap.200');
    }
  });
});
