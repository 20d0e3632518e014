import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Resolver } from 'node:dns/promises';
import { eventually } from '../../support/eventually.js';
import { Registries } from '../../faults/world/registries.js';

let registries: Registries;
beforeAll(async () => {
  registries = await Registries.start(0); // a second lookup could confirm an absence at once
});
beforeEach(() => {
  registries.setState('lapsed.alpha', 'registered');
});
afterAll(() => registries.stop());

/** The status of the registry's answer. */
const ask = async (name: string) => {
  const [url] = registries.settings['RDAP_OVERRIDES']?.split(',') ?? [];
  return (await fetch(`${url?.replace(/^alpha=/, '')}domain/${name}`)).status;
};
/** Whether DNS delegates the name. */
const isDelegated = async (name: string) => {
  const resolver = new Resolver({ tries: 1, timeout: 1_000 });
  resolver.setServers([registries.settings['DNS_SERVERS'] ?? '']);
  return resolver.resolveNs(name).then(
    () => true,
    ({ code }: { code: string }) => code !== 'ENOTFOUND',
  );
};

describe('a registry fault', () => {
  it('is delivered when requested; an absence, when DNS was queried too', async () => {
    const { requested, delivered } = registries.injectFault('lapsed.alpha', 'gone');
    expect(registries.deliveredFaults.get('gone')).toBe(0);
    expect(await ask('lapsed.alpha')).toBe(404);
    await requested;
    expect(registries.deliveredFaults.get('gone')).toBe(0);
    expect(await isDelegated('lapsed.alpha')).toBe(false);
    await delivered;
    expect(registries.deliveredFaults.get('gone')).toBe(1);
    registries.setState('lapsed.alpha', 'registered');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([200, true]);
  });

  it('ends at the registry; DNS denies an absent name until its next change', async () => {
    registries.injectFault('lapsed.alpha', 'gone');
    registries.endFault('lapsed.alpha');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([200, false]);
    registries.setState('lapsed.alpha', 'expiring');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([200, true]);
  });

  it('of a lost name lasts for less than a second from the first question on, while its zone is silent', async () => {
    registries.addLost('lost.alpha', 'refused');
    expect([await ask('lost.alpha'), await ask('lost.alpha')]).toEqual([404, 404]);
    expect(await isDelegated('lost.alpha')).toBe(true); // an error of its own, and no denial
    expect(
      await eventually(
        () => ask('lost.alpha'),
        (status) => status === 200,
      ),
    ).toBe(200);
  });

  it('`vetoed` is contradicted by DNS', async () => {
    const { delivered } = registries.injectFault('lapsed.alpha', 'vetoed');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([404, true]);
    await delivered;
    expect(registries.deliveredFaults.get('vetoed')).toBe(1);
  });

  it('other than an absence is delivered without a DNS query', async () => {
    const { delivered } = registries.injectFault('lapsed.alpha', 'page');
    expect(await ask('lapsed.alpha')).toBe(404);
    await delivered;
    expect(registries.deliveredFaults.get('page')).toBe(1);
  });
});
