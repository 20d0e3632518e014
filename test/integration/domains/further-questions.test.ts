import { afterEach, describe, expect, it } from '@jest/globals';
import { DAY, HOUR } from '../../../src/kernel/clock.js';
import { extensionRouter } from '../../support/builders/extension-router.js';
import { KeptDocuments, loopbackHttp } from '../../support/builders/lookup-sources.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying } from '../../world/whois.js';
import { saying as rdapSaying } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';

const registry = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const http = loopbackHttp();

const router = (documents = new KeptDocuments()) =>
  extensionRouter(
    [],
    { RDAP_OVERRIDES: `fi=${registry.url},name=${registry.url}`, WHOIS_OVERRIDES: `fi=${whois.host}` },
    http,
    documents,
  );

const NAME = 'example.fi';
const DATES = ['expires............: 4.7.2027 13:36:48', 'available..........: 4.8.2027 13:36:48'];
const states = (...dates: string[]) =>
  whois.says(NAME, saying([`domain.............: ${NAME}`, 'registrar: X', ...dates]));
const asked = () => whois.queries.length;

afterEach(() => {
  for (const name of [NAME, 'john.doe.name', 'doe.name']) registry.releases(name);
  whois.releases(NAME);
});

describe('an expiry date that only WHOIS states', () => {
  const held = () =>
    registry.says(NAME, rdapSaying(200, { objectClassName: 'domain', ldhName: NAME, status: ['client hold'] }));
  const expiresAt = new Date('2027-07-04T13:36:48Z');

  it('is added to the record from RDAP, together with the release date', async () => {
    held();
    const { lookUp } = router();
    states(...DATES);
    expect(await lookUp(NAME)).toMatchObject({
      source: 'rdap',
      facts: {
        statuses: ['client hold'],
        expiresAt,
        publishesExpiry: true,
        releasesAt: new Date('2027-08-04T10:36:48Z'),
      },
      evidence: [{ source: 'rdap' }, { source: 'whois' }],
    });
  });

  it('is requested from WHOIS once a day', async () => {
    held();
    states(...DATES);
    const { lookUp, clock } = router();
    const before = asked();
    await lookUp(NAME);
    clock.advance(DAY - HOUR);
    expect(await lookUp(NAME)).toMatchObject({ facts: { expiresAt }, evidence: [{ source: 'rdap' }] });
    expect(asked()).toBe(before + 1);
    clock.advance(HOUR);
    states('expires............: 4.7.2028 13:36:48');
    expect(await lookUp(NAME)).toMatchObject({ facts: { expiresAt: new Date('2028-07-04T13:36:48Z') } });
  });

  it('is kept when WHOIS fails, and the next lookup does not query WHOIS again', async () => {
    held();
    states(...DATES);
    const { lookUp, clock } = router();
    await lookUp(NAME);
    clock.advance(2 * DAY);
    whois.says(NAME, saying(['Too many requests']));
    const before = asked();
    for (let time = 0; time < 2; time++)
      expect(await lookUp(NAME)).toMatchObject({ kind: 'observation', facts: { expiresAt } });
    expect(asked()).toBe(before + 1);
  });

  it('is null when WHOIS or the database fails, and the lookup still finds the name', async () => {
    held();
    whois.says(NAME, (socket) => socket.destroy());
    expect(await router().lookUp(NAME)).toMatchObject({
      kind: 'observation',
      facts: { outcome: 'found', expiresAt: null },
    });
    states(...DATES);
    const broken = new KeptDocuments();
    broken.load = () => Promise.reject(new Error('no database'));
    expect(await router(broken).lookUp(NAME)).toMatchObject({ facts: { outcome: 'found', expiresAt: null } });
  });

  it('is not requested when RDAP states an expiry date or has no record', async () => {
    const before = asked();
    const { lookUp } = router();
    expect(await lookUp(NAME)).toMatchObject({ facts: { outcome: 'absent' } });
    registry.holds(NAME, { expiresAt });
    await lookUp(NAME);
    expect(asked()).toBe(before);
  });
});

describe('a third-level .name domain, such as john.doe.name', () => {
  it('is reported as not found when the second-level name is not registered either', async () => {
    expect(await router().lookUp('john.doe.name')).toMatchObject({ facts: { outcome: 'absent' } });
  });

  it('is reserved if only the second-level name is registered, and found if both are', async () => {
    registry.holds('doe.name');
    const { lookUp } = router();
    expect(await lookUp('john.doe.name')).toMatchObject({ facts: { outcome: 'reserved' } });
    registry.holds('john.doe.name');
    expect(await lookUp('john.doe.name')).toMatchObject({ facts: { outcome: 'found' } });
  });

  it('has no result when the lookup of the second-level name fails', async () => {
    registry.says('doe.name', rdapSaying(503, {}));
    expect(await router().lookUp('john.doe.name')).toMatchObject({ kind: 'failure' });
  });
});
