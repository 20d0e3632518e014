import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  defineExtension,
  type DomainName,
  LookupSource,
  type SourceAnswer,
  type SourceServer,
} from '../../../src/kit.js';
import { startForTests, type TestNamewatch, until } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';
import { unlimitedPlans } from '../../support/builders/plans-file.js';
import { FakeDns } from '../../world/dns.js';
import { running } from '../../support/running.js';
import { isAbsent, isFailing, isFound } from '../../support/builders/scripted-source.js';

const FIRST_SERVER: SourceServer = { host: 'first.example', port: 443 };
const answers = new Map<string, SourceAnswer>();

/** The registry of .acme, which nothing else serves, and which no name server of the public DNS knows. */
class AcmeSource extends LookupSource {
  readonly name = 'acme';
  override readonly hasPrivateZone = true;
  readonly role = 'only';
  override readonly budget = { perSecond: 100, burst: 100, concurrency: 10 };
  servers = () => new Map([['acme', { host: 'api.acme.example', port: 443 }]]);
  ask = ({ ascii }: DomainName) => Promise.resolve(answers.get(ascii) ?? isAbsent);
}

/** A registrar's view of .test, in front of its registry. */
class RegistrarSource extends LookupSource {
  readonly name = 'acme.registrar';
  readonly role = 'first';
  servers = () => new Map([['test', FIRST_SERVER]]);
  ask = ({ ascii }: DomainName) => Promise.resolve(answers.get(ascii) ?? isFailing);
}

interface Checked {
  readonly status: string;
  readonly evidence: readonly { readonly source: string; readonly outcome: string; readonly excerpt: string }[];
}

describe('lookup sources of an extension', () => {
  const dns = running(() => FakeDns.start());
  let namewatch: TestNamewatch;
  beforeAll(async () => {
    const lookupSources = [RegistrarSource, AcmeSource];
    const extension = defineExtension({ name: 'acme', compatibility: '*', lookupSources });
    const own = { DATABASE_URL: await freshDatabase(), PLANS_FILE: unlimitedPlans(), DNS_SERVERS: dns.host };
    namewatch = await startForTests({ extensions: [extension], settings: own });
  });
  afterAll(() => namewatch.close());

  const evidenceOf = async (domain: string) =>
    (await namewatch.client.get<Checked>(`/v1/domains/check?domain=${domain}&expand=evidence&max_age=0`)).body;
  const check = async (domain: string) => {
    const { status, evidence } = await evidenceOf(domain);
    return [status, ...evidence.map(({ source, outcome }) => `${source} ${outcome}`)];
  };
  const watch = async (domain: string) => {
    expect(await namewatch.client.post('/v1/watchlist', { domain })).toMatchObject({ status: 201 });
  };
  const untilStatus = (domain: string, status: string) =>
    until(async () => {
      const { body } = await namewatch.client.get<{ data: { domain: string; status: string }[] }>('/v1/watchlist');
      return body.data.some((entry) => entry.domain === domain && entry.status === status);
    });

  it('decide a watched name’s status without DNS, given the role “only” and a private zone', async () => {
    dns.delegates('watched.acme');
    answers.set('watched.acme', isFound);
    await watch('watched.acme');
    await untilStatus('watched.acme', 'registered');
    answers.delete('watched.acme');
    namewatch.clock.advance({ days: 1 });
    await untilStatus('watched.acme', 'available');
    expect(await check('watched.acme')).toEqual([
      'available',
      'acme absent',
      'dns inconclusive',
      'acme inconclusive',
      'acme absent',
    ]);
    expect((await evidenceOf('watched.acme')).evidence[1]?.excerpt).toBe(
      'not asked: the source acme says that its zone is private',
    );
    expect(dns.queries('watched.acme')).toBe(0);
    const sourcesOfDrops = async () => {
      const { body } = await namewatch.client.get<{ data: { type: string; data: { source: string } }[] }>(
        '/v1/events?type=watchlist.available',
      );
      return body.data.map(({ data }) => data.source);
    };
    await until(async () => (await sourcesOfDrops()).length > 0); // the feed waits for older transactions
    expect(await sourcesOfDrops()).toEqual(['acme']);
  });

  it('are listed with their rate limits, and appear in the API document', async () => {
    const { body } = await namewatch.client.get<{ data: unknown[] }>('/v1/registries?tld=acme');
    expect(body.data).toMatchObject([
      {
        operator: 'acme',
        budget: { per_second: 100, burst: 100, concurrency: 10 },
        tlds: [{ tld: 'acme', source: 'acme', server: 'api.acme.example' }],
      },
    ]);
    const document = JSON.stringify((await namewatch.client.get('/openapi.json')).body);
    expect(document).toContain('"enum":["rdap","whois","dns","sandbox","acme.registrar","acme"]');
    expect(document).toContain('"enum":["rdap","whois","sandbox","acme.registrar","acme"]');
  });
});
