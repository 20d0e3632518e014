import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer } from 'dns-packet';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameResolver } from '../../../src/platform/outbound/guarded-connector.js';
import { dnsAnswers, FakeDns, messageTo, type DnsAnswer } from '../../world/dns.js';

let dns: FakeDns;
let folder: string;
beforeEach(async () => {
  dns = await FakeDns.start();
  folder = await mkdtemp(join(tmpdir(), 'hosts-'));
});
afterEach(async () => {
  await dns.stop();
  await rm(folder, { recursive: true });
});

const resolver = (deadline = 5_000, hostsFile = join(folder, 'hosts')) =>
  createNameResolver({ servers: [dns.host], hostsFile, timeoutMs: deadline });

describe('the IP addresses of a host name', () => {
  it('include IPv4 and IPv6, with IPv4 first', async () => {
    dns.says('receiver.example', at({ A: '192.0.2.1', AAAA: '2001:db8::1' }));
    expect(await resolver()('Receiver.example.')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  it('are found even while fifty lookups of another name get no answer', async () => {
    dns.says('receiver.example', at({ A: '192.0.2.1' }));
    dns.says('tarpit.example', dnsAnswers.silence);
    const resolve = resolver();
    const stuck = Array.from({ length: 50 }, () => resolve('tarpit.example'));
    let settled = 0;
    for (const each of stuck) void each.finally(() => (settled += 1)).catch(() => undefined);
    expect(await resolve('receiver.example')).toHaveLength(1);
    expect(settled).toBe(0);
    expect((await Promise.allSettled(stuck)).every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('are returned without IPv6 if only the IPv6 query gets no answer', async () => {
    dns.says('half.example', at({ A: '192.0.2.1' }, ['AAAA']));
    expect(await resolver()('half.example')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  });

  it('end in a DNS failure if no answer comes or the name does not exist', async () => {
    dns.says('tarpit.example', dnsAnswers.silence);
    await expect(resolver(100)('tarpit.example')).rejects.toMatchObject({ failure: 'dns' });
    await expect(resolver()('missing.example')).rejects.toMatchObject({ failure: 'dns' });
  });

  it('come from the hosts file if it lists the name', async () => {
    await writeFile(join(folder, 'hosts'), '192.0.2.7\treceiver.example alias # receiver.test\n::1 localhost\n');
    dns.says('receiver.example', at({ A: '192.0.2.1' }));
    expect(await resolver()('receiver.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    await expect(resolver()('receiver.test')).rejects.toMatchObject({ failure: 'dns' });
    expect((await resolver()('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
  });
});

/** Addresses by family; nothing is said about the families that are silent. */
function at(addresses: Partial<Record<'A' | 'AAAA', string>>, silent: readonly string[] = []): DnsAnswer {
  return ({ query, name, send }) => {
    const type = query.questions?.[0]?.type as 'A' | 'AAAA';
    const address = addresses[type];
    const answers: Answer[] = address === undefined ? [] : [{ type, name, ttl: 60, data: address }];
    if (!silent.includes(type)) send(messageTo(query, { answers }));
  };
}
