import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Resolver } from 'node:dns/promises';
import { Registries } from '../../../faults/registries.js';

let registries: Registries;
beforeAll(async () => {
  registries = await Registries.start();
});
beforeEach(() => {
  registries.holds('lapsed.alpha', 'registered');
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

describe('a lie of the registries', () => {
  it('counts when somebody was told: an absence when DNS was asked as well', async () => {
    const { heard, told } = registries.lies('lapsed.alpha', 'gone');
    expect(registries.told.get('gone')).toBe(0);
    expect(await ask('lapsed.alpha')).toBe(404);
    await heard;
    expect(registries.told.get('gone')).toBe(0);
    expect(await isDelegated('lapsed.alpha')).toBe(false);
    await told;
    expect(registries.told.get('gone')).toBe(1);
    registries.holds('lapsed.alpha', 'registered');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([200, true]);
  });

  it('is contradicted by DNS when it is to be vetoed', async () => {
    const { told } = registries.lies('lapsed.alpha', 'vetoed');
    expect([await ask('lapsed.alpha'), await isDelegated('lapsed.alpha')]).toEqual([404, true]);
    await told;
    expect(registries.told.get('vetoed')).toBe(1);
  });

  it('that says nothing about a name needs no DNS to be told', async () => {
    const { told } = registries.lies('lapsed.alpha', 'page');
    expect(await ask('lapsed.alpha')).toBe(404);
    await told;
    expect(registries.told.get('page')).toBe(1);
  });
});
