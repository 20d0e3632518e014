import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toASCII } from 'tr46';
import { DomainName, type PublicSuffixes } from '../../../../src/domains/domain/name/domain-name.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { NAME, read, reply } from '../rdap/rdap-reply.js';
import { EverySuffixRegistrable } from '../checks/scripted-ports.js';
import { reading } from '../whois/whois-answers.js';
import { cpuMillisecondsSince } from '../../../support/cpu-time.js';

const RDAP_RECORD = JSON.stringify(rdapRecord(NAME, { expiresAt: new Date('2028-08-13T04:00:00Z') }));
const RDAP_NOT_FOUND = JSON.stringify(rdapNotFound());
const WHOIS_RECORD = [
  'Domain Name: EXAMPLE.COM',
  'Registry Domain ID: 2336799_DOMAIN_COM-VRSN',
  'Registrar: Example Registrar, Inc.',
  'Updated Date: 2026-08-14T07:01:34Z',
  'Creation Date: 1995-08-14T04:00:00Z',
  'Registrar IANA ID: 376',
  'Registry Expiry Date: 2028-08-13T04:00:00Z',
  'Domain Status: clientDeleteProhibited',
  'DNSSEC: unsigned',
  'Name Server: NS1.EXAMPLE.NET',
  'Name Server: NS2.EXAMPLE.NET',
  '>>> Last update of whois database <<<',
  '',
].join('\r\n');
const WHOIS_FREE = 'No match for domain "EXAMPLE.COM".\r\n>>> Last update of whois database <<<\r\n';

/** An answer with some bytes changed, lost or inserted, and perhaps truncated. */
const corrupted = (text: string) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(text.length), fc.nat(3), fc.nat(255)), { maxLength: 6 }),
      fc.option(fc.nat(text.length)),
    )
    .map(([changes, end]) => {
      const bytes = [...Buffer.from(text)];
      for (const [at, kind, byte] of changes) {
        if (kind === 0) bytes.splice(at, 1);
        else bytes.splice(at, kind === 1 ? 0 : 1, byte);
      }
      return Buffer.from(end === null ? bytes : bytes.slice(0, end));
    });

const timed = <T>(work: () => T): T => {
  const began = process.threadCpuUsage();
  const outcome = work();
  expect(cpuMillisecondsSince(began)).toBeLessThan(1_000);
  return outcome;
};

/** `absent`, `found`, `reserved`, or the failure. */
function overRdap(status: number, body: Uint8Array): string {
  const got = timed(() => read(reply(status, body)));
  expect(got.rule).toMatch(/^rdap\.\d{3}(\.[a-z_]+)*$/);
  return got.kind === 'facts' ? got.facts.outcome : 'error';
}
function overWhois(body: Buffer): string {
  const got = timed(() => reading(NAME, body));
  expect(got.rule).toMatch(/^whois\.[a-z_.]+$/);
  return got.kind === 'facts' ? got.facts.outcome : 'error';
}

describe('a corrupted registration record', () => {
  it('is read as found or an error, never as not found, over RDAP', () => {
    fc.assert(
      fc.property(corrupted(RDAP_RECORD), (body) => expect(['found', 'error']).toContain(overRdap(200, body))),
      { numRuns: 1_500 },
    );
  });

  it('is an error over RDAP with status 404', () => {
    fc.assert(
      // Without any bytes it would be an RDAP server's empty 404, which is an absence.
      fc.property(corrupted(RDAP_RECORD), (body) => body.length === 0 || expect(overRdap(404, body)).toBe('error')),
      { numRuns: 1_500 },
    );
  });

  it('is never read as not found over WHOIS', () => {
    fc.assert(
      fc.property(corrupted(WHOIS_RECORD), (body) => expect(overWhois(body)).not.toBe('absent')),
      { numRuns: 1_500 },
    );
  });
});

describe('a corrupted not-found answer', () => {
  it('is never read as a registration', () => {
    fc.assert(
      fc.property(corrupted(RDAP_NOT_FOUND), corrupted(WHOIS_FREE), (rdap, whois) => {
        expect(overRdap(404, rdap)).not.toBe('found');
        expect(overRdap(200, rdap)).toBe('error');
        expect(overWhois(whois)).not.toBe('found');
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('a name of ASCII letters, digits and hyphens', () => {
  const UTS46 = { checkHyphens: false, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
  const characters = fc.constantFrom(...'abcxyzABCXN0189--..');
  const suffixes: PublicSuffixes = new EverySuffixRegistrable();

  it('is converted to the same ASCII form as by the standard UTS-46', () => {
    fc.assert(
      fc.property(fc.string({ unit: characters, minLength: 1, maxLength: 30 }), (label) => {
        const input = `${label}.com`;
        const mapped = toASCII(input, { ...UTS46, verifyDNSLength: false });
        const parsed = parsedOrNull(input, suffixes);
        if (parsed !== null) expect(parsed).toBe(mapped);
        else if (mapped !== null) expect(mapped).toMatch(/(^|\.)(-|\.)|-\.|(^|\.)\d+$|^$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

function parsedOrNull(input: string, suffixes: PublicSuffixes): string | null {
  try {
    return DomainName.parse(input, suffixes).ascii;
  } catch {
    return null;
  }
}
