import { describe, expect, it } from '@jest/globals';
import { ZoneWitness } from '../../../../src/domains/index.js';
import { type ParentZoneAnswer, toRegistrationRecord } from '../../../../src/domains/language.js';
import { HOUR } from '../../../../src/kernel/clock.js';
import { ConfirmDelegation } from '../../../../src/watchlist/checks/check-due-names.js';
import { aFailure, aName, anEvidence, anObservation, aSchedule, at, facts, monday } from '../builders.js';

const schedule = aSchedule();
const showing = (nameserver: string, hours: number) => {
  const record = toRegistrationRecord({ nameservers: [nameserver], ds: [] });
  return anObservation(facts.registered, at(hours * HOUR), { record });
};
/** A name whose last check was the first to find another name server. */
const changed = () => {
  const name = aName();
  for (const result of [showing('ns.a.net', 0), showing('ns.a.net', 1), showing('ns.b.net', 2)]) {
    name.applyRecord(result, {}, schedule, result.observedAt);
    name.applyResult(result, schedule, result.observedAt);
  }
  return name;
};
class Zone extends ZoneWitness {
  queries = 0;

  constructor(private readonly answer: ParentZoneAnswer | null) {
    super();
  }

  get isAsked(): boolean {
    return this.answer !== null;
  }

  ask() {
    return Promise.resolve(null);
  }

  read(): Promise<ParentZoneAnswer | null> {
    this.queries += 1;
    return Promise.resolve(this.answer);
  }
}
const ZONE_EVIDENCE = [{ ...anEvidence(monday), source: 'dns' }];
const publishing = (nameservers: readonly string[] | null) =>
  new Zone({ nameservers, ds: [], evidence: ZONE_EVIDENCE });

describe('a changed name server in the second lookup', () => {
  it.each<[string, Zone, string]>([
    ['publishes the new name server', publishing(['ns.b.net']), 'confirmed'],
    ['publishes the former name server', publishing(['ns.a.net']), 'contradicted'],
    ['does not delegate the name', publishing([]), 'contradicted'],
    ['does not answer', publishing(null), 'inconclusive'],
    ['is not queried', new Zone(null), 'confirmed'],
  ])('is judged by the parent zone’s answer in DNS: the zone %s', async (_, zone, verdict) => {
    const reports = await new ConfirmDelegation(zone).run(changed(), showing('ns.b.net', 3), 5_000);
    const evidence = zone.isAsked ? ZONE_EVIDENCE : [];
    expect(reports).toEqual({ nameservers: { verdict, evidence } });
  });

  it('causes no DNS query if the second lookup differs, fails or has little time left', async () => {
    const zone = publishing(['ns.b.net']);
    const confirm = new ConfirmDelegation(zone);
    expect(await confirm.run(changed(), showing('ns.a.net', 3), 5_000)).toEqual({});
    expect(await confirm.run(changed(), showing('ns.c.net', 3), 5_000)).toEqual({});
    expect(await confirm.run(changed(), aFailure(at(3 * HOUR)), 5_000)).toEqual({});
    expect(await confirm.run(changed(), showing('ns.b.net', 3), 100)).toEqual({});
    expect(zone.queries).toBe(0);
  });

  it('is confirmed without a DNS query if the watched name is in a private zone', async () => {
    const zone = publishing(['ns.a.net']);
    const seen = { ...showing('ns.b.net', 3), isPrivateZone: true } as const;
    const reports = await new ConfirmDelegation(zone).run(changed(), seen, 5_000);
    expect([reports, zone.queries]).toEqual([{ nameservers: { verdict: 'confirmed', evidence: [] } }, 0]);
  });
});
