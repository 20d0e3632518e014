import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { createZoneWitness } from '../../../src/domains/dns/authoritative-zone-witness.js';
import { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { extensionRouter } from '../../support/builders/extension-router.js';
import { loopbackHttp } from '../../support/builders/lookup-sources.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { FakeDns } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { saying } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';
import { buildChecks } from '../../unit/domains/checks/scripted-ports.js';

const registry = running(() => FakeRegistry.start());
const dns = running(() => FakeDns.start());
const http = loopbackHttp();

/** The cost of free names, where each TLD has its `nic.` and the zones answer. */
describe('the questions to registries', () => {
  const tlds = Array.from({ length: 100 }, (_, i) => `tld${i}`);
  beforeEach(() => {
    registry.saysToEverything((reply, name) => {
      const answer = name.startsWith('nic.') ? saying(200, rdapRecord(name)) : saying(404, rdapNotFound());
      answer(reply, name);
    });
    for (const tld of tlds) dns.delegates(`nic.${tld}`);
  });

  const checkAll = async (names: readonly string[]) => {
    const { router, clock } = extensionRouter(
      [],
      { RDAP_OVERRIDES: tlds.map((tld) => `${tld}=${registry.url}`).join() },
      http,
    );
    const zones = createZoneWitness(readConfig({ DNS_SERVERS: dns.host, RDAP_BOOTSTRAP_URL: 'off' }), clock);
    const { checks } = buildChecks({ registry: router, zones, clock });
    const before = registry.arrivals.length;
    const statuses = new Set<string>();
    const check = async (domain: string) => {
      const checked = await checks.check(DomainName.restore(domain), { maxAgeSeconds: 0, accountId: 'acc_1' });
      statuses.add(checked.kind === 'result' ? checked.status : checked.kind);
    };
    const waiting = [...names];
    const worker = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name);
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    const questions = registry.arrivals.length - before;
    return { statuses: [...statuses], questions };
  };

  it('are one a name, and one canary a TLD', async () => {
    const count = process.env['ALL_CASES'] === '1' ? 1_000 : 100;
    const names = Array.from({ length: count }, (_, i) => `free-${i}.${tlds[i % 20]}`);
    expect(await checkAll(names)).toEqual({ statuses: ['available'], questions: count + 20 });
  });

  it('are two for each TLD of one label', async () => {
    expect(await checkAll(tlds.map((tld) => `label.${tld}`))).toEqual({ statuses: ['available'], questions: 200 });
  });
});
