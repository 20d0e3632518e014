import { describe, expect, it } from '@jest/globals';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import {
  failedLookup,
  type LookupResult,
  toLookupResult,
} from '../../../../src/domains/domain/lookup/lookup-result.js';
import { judgeRegistry, type ProbeAnswer } from '../../../../src/domains/registry-check/registry-verdict.js';

const observedAt = new Date('2026-11-26T12:00:00Z');
const facts = { found: found(), absent, reserved };

type Said = keyof typeof facts | LookupResult;

const NAMES = { nic: 'nic.lan', random: 'qwertz.lan', known: 'registry.lan' };

function said(source: 'rdap' | 'whois', role: ProbeAnswer['role'], what: Said): ProbeAnswer {
  const parsed =
    typeof what === 'string' && ({ kind: 'facts', rule: 'rule', excerpt: '', facts: facts[what] } as const);
  const result = parsed ? toLookupResult(parsed, { source, server: 'x', httpStatus: null, observedAt }) : what;
  return { role, domain: NAMES[role], source, result: result as LookupResult };
}

/** The answers about `nic`, a random name and a known name, as far as they are given. */
function answers(source: 'rdap' | 'whois', nic: Said, random?: Said, known?: Said): ProbeAnswer[] {
  return [
    said(source, 'nic', nic),
    ...(random ? [said(source, 'random', random)] : []),
    ...(known ? [said(source, 'known', known)] : []),
  ];
}

const failed = (code: Parameters<typeof failedLookup>[0]) => failedLookup(code, 'x', observedAt);
const state = (...given: ProbeAnswer[][]) => judgeRegistry(given.flat()).state;
const reason = (...given: ProbeAnswer[][]) => judgeRegistry(given.flat()).reason;

describe('the verdict on a registry', () => {
  it.each<[string, ProbeAnswer[]]>([
    ['finds nic, but not a random name', answers('rdap', 'found', 'absent')],
    ['reserves nic, and does not find a random name', answers('whois', 'reserved', 'absent')],
    ['finds neither nic nor a random name, but a known registered name', answers('rdap', 'absent', 'absent', 'found')],
  ])('is "works" if the registry %s', (_, given) => {
    expect(judgeRegistry(given)).toEqual({ state: 'works', reason: '' });
  });

  it('is "contradictory" if the registry has a record of a random name', () => {
    for (const random of ['found', 'reserved'] as const)
      expect(state(answers('rdap', 'found', random))).toBe('contradictory');
    expect(reason(answers('rdap', 'found', 'found'))).toBe('RDAP has a record of qwertz.lan, a random name');
  });

  it('is "contradictory" if the registry has no record of a name known to exist', () => {
    const given = answers('rdap', 'found', 'absent', 'absent');
    expect(judgeRegistry(given)).toEqual({
      state: 'contradictory',
      reason: 'RDAP has no record of registry.lan, which exists',
    });
  });

  it('is "contradictory" if only one of WHOIS and RDAP has a record of a name', () => {
    const [found, absent] = [answers('rdap', 'found', 'absent'), answers('whois', 'absent', 'absent')];
    expect(reason(found, absent)).toBe('RDAP has a record of nic.lan, WHOIS has none');
    expect(reason(answers('rdap', 'absent', 'absent'), answers('whois', 'found', 'absent'))).toBe(
      'WHOIS has a record of nic.lan, RDAP has none',
    );
    expect(state(found, answers('whois', 'reserved', 'absent'))).toBe('works');
  });

  it('is "throttled" or "unusable" if an RDAP query fails, depending on the error', () => {
    expect(state(answers('rdap', failed('registry_throttled')))).toBe('throttled');
    for (const code of ['registry_timeout', 'registry_unreachable', 'registry_answer_unusable'] as const)
      for (const given of [answers('rdap', failed(code)), answers('rdap', 'found', failed(code), 'found')])
        expect(state(given)).toBe('unusable');
    expect(state(answers('rdap', failed('registry_timeout')), answers('whois', 'found', 'absent'))).toBe('unusable');
  });

  it('is "works" if only WHOIS does not answer in time, which the reason says', () => {
    const verdict = judgeRegistry([
      ...answers('rdap', 'found', 'absent'),
      ...answers('whois', failed('registry_timeout')),
    ]);
    expect(verdict).toEqual({ state: 'works', reason: 'WHOIS does not answer in time' });
  });

  it('is "unproven" if the registry has no record of any name asked about', () => {
    expect(state(answers('rdap', 'absent', 'absent'))).toBe('unproven');
    expect(state(answers('rdap', 'absent', 'absent'), answers('whois', 'absent', 'absent'))).toBe('unproven');
  });

  it('is "unusable" if no RDAP or WHOIS server is known', () => {
    expect(judgeRegistry([])).toEqual({ state: 'unusable', reason: 'no RDAP or WHOIS server is known' });
  });
});
