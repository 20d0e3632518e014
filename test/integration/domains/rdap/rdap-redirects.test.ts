import { createSecureContext } from 'node:tls';
import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { AdmissionRequest } from '../../../../src/domains/domain/operators.js';
import {
  type RequestOutcome,
  type Permit,
  RegistryAdmission,
} from '../../../../src/domains/rate-limiting/registry-admission.js';
import { rdapServer } from '../../../../src/domains/rdap/rdap-server.js';
import { RegistryHttpClient } from '../../../../src/domains/transport/registry-http-client.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { createOutboundAgent } from '../../../../src/platform/outbound/outbound-agent.js';
import { CertificateAuthority } from '../../../support/builders/certificates.js';
import { rdapLookup } from '../../../support/builders/lookup-sources.js';
import { FakeRegistry } from '../../../world/registry.js';
import { registryFaults, saying } from '../../../world/registry-faults.js';
import { running } from '../../../support/running.js';

const NAME = 'example.com';
const HOSTS: Record<string, string> = {
  'rdap.registry.example': '127.0.0.1',
  'rdap2.registry.example': '127.0.0.1',
  'rdap.other.example': '127.0.0.1',
  'inner.registry.example': '10.0.0.1',
};
/** Records admission requests and outcomes. */
class RecordingAdmission extends RegistryAdmission {
  readonly requests: AdmissionRequest[] = [];
  readonly outcomes: RequestOutcome[] = [];

  acquire(_: unknown, request: AdmissionRequest): Promise<Permit> {
    this.requests.push(request);
    return Promise.resolve({ kind: 'permit', release: (outcome) => void this.outcomes.push(outcome) });
  }
}

let registry: FakeRegistry;
const plain = running(() => FakeRegistry.start());
let http: RegistryHttpClient;
let rdap: ReturnType<typeof rdapLookup>;

beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  registry = await FakeRegistry.start(await authority.issue([...Object.keys(HOSTS), '127.0.0.1']));
  const resolve = (host: string): Promise<LookupAddress[]> => {
    return Promise.resolve([{ address: HOSTS[host] ?? '192.0.2.1', family: 4 }]);
  };
  const guard = new AddressGuard(['127.0.0.1']);
  const secureContext = createSecureContext({ ca: authority.cert });
  http = new RegistryHttpClient(createOutboundAgent({ guard, secureContext, resolve }));
  rdap = rdapLookup(http);
});
afterAll(async () => {
  await http.onApplicationShutdown();
  await registry.stop();
});
beforeEach(() => {
  for (const each of [registry, plain]) {
    each.holds('target.example');
    each.releases(NAME);
  }
});

const at = (host: string, path = `rdap/domain/${NAME}`) => `https://${host}:${registry.port}/${path}`;

async function verdictOf(base: string, isOverride: boolean): Promise<string> {
  const { result: seen } = await rdap.lookUp(DomainName.restore(NAME), rdapServer(new URL(base), isOverride), 5_000);
  return `${seen.kind === 'observation' ? seen.facts.outcome : seen.code} by ${seen.evidence[0]?.rule} of ${seen.evidence[0]?.server}`;
}

const fromBootstrap = () => verdictOf(at('rdap.registry.example', 'rdap/'), false);
const refused = (server: string) => `registry_answer_unusable by rdap.redirect of ${server}`;

/** Redirects the first request to `location`; the second finds the name. */
function redirectsOnce(from: FakeRegistry, location: string) {
  from.says(NAME, (reply, name) => {
    from.holds(NAME);
    registryFaults.redirect(location)(reply, name);
  });
}

describe('a redirect from a registry', () => {
  it.each([
    ['to another server of the same operator', () => at('rdap2.registry.example'), 'rdap2.registry.example'],
    ['to another path', () => at('rdap.registry.example', `rdap/v2/domain/${NAME}`), 'rdap.registry.example'],
    ['to a relative URL', () => `/rdap/v2/domain/${NAME.toUpperCase()}/`.slice(0, -1), 'rdap.registry.example'],
  ])('is followed, and the evidence names the target’s server: %s', async (_what, location, server) => {
    redirectsOnce(registry, location());
    expect(await fromBootstrap()).toBe(`found by rdap.200 of ${server}:${registry.port}`);
  });

  it.each([
    ['to another operator', () => at('rdap.other.example')],
    ['to an IP address', () => at('127.0.0.1')],
    ['to plain http', () => at('rdap.registry.example').replace('https:', 'http:')],
    ['to another scheme', () => 'ftp://rdap.registry.example/domain/example.com'],
    ['to the record of another name', () => at('rdap.registry.example', 'rdap/domain/example.org')],
    ['to the record of a name with the same ending', () => at('rdap.registry.example', `rdap/domain/not-${NAME}`)],
    ['to a login page', () => at('rdap.registry.example', 'login?domain=example.com')],
    ['to a URL with credentials', () => at('me:secret@rdap.registry.example')],
    ['to a malformed URL', () => 'https://[::bad'],
  ])('is not followed, and makes the answer unusable: %s', async (_what, location) => {
    redirectsOnce(registry, location());
    expect(await fromBootstrap()).toBe(refused(`rdap.registry.example:${registry.port}`));
  });

  it('is not followed when it has no Location header', async () => {
    registry.says(NAME, saying(302, ''));
    expect(await fromBootstrap()).toBe(refused(`rdap.registry.example:${registry.port}`));
  });

  it('is blocked when its target host has a private address', async () => {
    redirectsOnce(registry, at('inner.registry.example'));
    expect(await fromBootstrap()).toBe(
      `registry_unreachable by rdap.blocked of inner.registry.example:${registry.port}`,
    );
  });

  it('is followed three times at most when it leads in a circle', async () => {
    const before = registry.queries(NAME);
    registry.says(NAME, registryFaults.redirect(at('rdap.registry.example')));
    expect(await fromBootstrap()).toBe(refused(`rdap.registry.example:${registry.port}`));
    expect(registry.queries(NAME) - before).toBe(4);
  });
});

describe('the rate limiter', () => {
  const outcomesOf = async (base: string) => {
    const gate = new RecordingAdmission();
    const lookup = rdapLookup(http, gate);
    await lookup.lookUp(DomainName.restore(NAME), rdapServer(new URL(base), true), 10_000);
    return gate;
  };

  it('counts the answer of the target, not the redirect, when a redirect is followed', async () => {
    redirectsOnce(plain, `${plain.url}v2/domain/${NAME}`);
    const { requests, outcomes } = await outcomesOf(plain.url);
    expect(outcomes).toEqual([{ kind: 'ignored' }, { kind: 'answered' }]);
    expect(requests[1]).toEqual({ priority: 'check', maxWaitMs: 3_000, isRedirect: true });
  });

  it('counts a failure when the target of a redirect fails', async () => {
    plain.says(NAME, (reply, name) => {
      plain.says(NAME, saying(502, 'dead'));
      registryFaults.redirect(`${plain.url}v2/domain/${NAME}`)(reply, name);
    });
    const { outcomes } = await outcomesOf(plain.url);
    expect(outcomes).toEqual([{ kind: 'ignored' }, { kind: 'failed', domain: NAME }]);
  });

  it('counts an answer when a redirect must not be followed', async () => {
    redirectsOnce(plain, at('127.0.0.1'));
    expect((await outcomesOf(plain.url)).outcomes).toEqual([{ kind: 'answered' }]);
  });

  it.each([
    [401, undefined, null],
    [403, '120', 120],
    [429, '0', null],
  ])('counts throttling after status %d with Retry-After %j', async (status, after, retryAfterSeconds) => {
    plain.says(NAME, saying(status, 'go away', after === undefined ? {} : { 'retry-after': after }));
    expect((await outcomesOf(plain.url)).outcomes).toEqual([{ kind: 'throttled', domain: NAME, retryAfterSeconds }]);
  });
});

describe('a redirect from a server set by override', () => {
  it('is followed to the same host and port, even over plain http', async () => {
    redirectsOnce(plain, `${plain.url}v2/domain/${NAME}`);
    expect(await verdictOf(plain.url, true)).toBe(`found by rdap.200 of ${plain.host}`);
  });

  it('is not followed to another port of the same host', async () => {
    redirectsOnce(plain, at('127.0.0.1'));
    expect(await verdictOf(plain.url, true)).toBe(refused(plain.host));
  });
});
