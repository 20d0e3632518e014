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

describe('an RDAP lookup at a working registry', () => {
  it('returns the registration with its evidence', async () => {
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

  it('reports an unregistered name as not found', async () => {
    expect(await lookUp()).toMatchObject({
      kind: 'observation',
      facts: { outcome: 'absent', registrable: 'yes' },
      witnesses: 1,
    });
  });

  it('asks for uncompressed RDAP, with Namewatch’s own user agent', async () => {
    await lookUp();
    expect(registry.requests.at(-1)?.headers).toMatchObject({
      accept: 'application/rdap+json',
      'accept-encoding': 'identity',
      'user-agent': expect.stringMatching(/^namewatch\/\d/),
    });
  });

  it('reports its remaining time, not counting the wait for the rate limit', async () => {
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

describe('an RDAP lookup at a faulty registry', () => {
  it.each<[string, RegistryAnswer, string]>([
    ['status 403', registryFaults.forbidden, 'registry_answer_unusable by rdap.403'],
    ['status 401', registryFaults.unauthorised, 'registry_answer_unusable by rdap.401'],
    ['a gzip bomb', registryFaults.gzipBomb, 'registry_answer_unusable by rdap.compressed'],
    ['an endless body', registryFaults.endless, 'registry_answer_unusable by rdap.too_large'],
    ['an answer that is not HTTP', registryFaults.noHttp, 'registry_answer_unusable by rdap.not_http'],
    ['a body that is cut off', registryFaults.cutOff, 'registry_unreachable by rdap.connect'],
    ['a closed connection', registryFaults.hangUp, 'registry_unreachable by rdap.connect'],
  ])('fails with the matching error code after %s', async (_what, answer, verdict) => {
    expect(await verdictOf(answer)).toBe(verdict);
  });

  it.each([
    ['single bytes slowly', registryFaults.drip],
    ['nothing', registryFaults.silence],
    ['a huge Content-Length but only one byte', registryFaults.boasting],
    ['endless interim answers (status 1xx)', registryFaults.onlyPromises],
  ])('ends at its deadline when the registry sends %s', async (_what, answer) => {
    expect(await verdictOf(answer, 300)).toBe('registry_timeout by rdap.timeout');
  });

  it('fails with the registry’s host and Retry-After when the registry answers 429', async () => {
    expect(await lookUpAnswer(registryFaults.throttled('120'))).toMatchObject({
      kind: 'failure',
      code: 'registry_throttled',
      retryAfterSeconds: 120,
      registry: registry.host,
      evidence: [{ outcome: 'inconclusive', httpStatus: 429 }],
    });
  });

  it('accepts a response just under 512 kB, and rejects a larger one', async () => {
    const padded = (size: number) => ({ ...rdapNotFound(), padding: ' '.repeat(size) });
    expect(await verdictOf(saying(404, padded(510 * 1_024)))).toBe('absent by rdap.404');
    expect(await verdictOf(saying(404, padded(512 * 1_024)))).toBe('registry_answer_unusable by rdap.too_large');
  });

  it('reports the registry as unreachable on a closed port, private address or unknown host', async () => {
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
