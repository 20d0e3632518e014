import { describe, expect, it } from '@jest/globals';
import { judged, reading, TERMS } from './whois-answers.js';

describe('a WHOIS answer', () => {
  it.each([
    ['WHOIS LIMIT EXCEEDED - SEE THE TERMS FOR DETAILS'],
    ['% Query rate limit exceeded. Reduced information.\r\n% No match for example.tld'],
    ['the WHOIS query quota for 192.0.2.1 has been exceeded\r\nand will be replenished in 50 seconds'],
    ['whois.nic.tld: only 1 request per second allowed, try again later'],
    ['whois.nic.tld: daily whois-limit exceeded for client 192.0.2.1'],
    ['Please go away for 13 Seconds'],
    ['Please maintain at least 10-second time before starting another enquiry.'],
    ['-3: IP address blocked'],
    ['-1: Still in grace period, wait 7777777 seconds'],
    ['Server too busy, try again later'],
    ['ERROR: Too many requests'],
    ['Error: ratelimit exceeded'],
    ['IP Address Has Reached Rate Limit'],
    ['Your request is being rate limited'],
    ['Your query is too often.'],
    ['%% Maximum query rate reached'],
    ['You have been banned for abuse'],
    ['Domain not available, query limit exceeded'],
  ])('means throttled if it says %j', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_throttled by whois\.throttled\./);
  });

  it.each([
    ['will be replenished in 50 seconds', 50],
    ['will be replenished in 0.14 seconds', 1],
    ['try again in 2 minutes', 120],
    ['try again in 7777777 seconds', null],
    ['try again later', null],
    ['try again in about 30 seconds', 30],
    ['please wait 90 seconds', 90],
    ['exceeds 100 queries per 24 hours', null],
    ['exceeds 100 queries per 24 hours; try again in 60 seconds', 60],
    ['at most 30 in 60 minutes are allowed', null],
    ['100 requests within 1 hour are allowed', null],
    ['1 request every 10 seconds is allowed', null],
    ['1 request each 10 seconds is allowed', null],
    ['was reached in the last 60 minutes', null],
    ['30 queries / 60 minutes', null],
    ['30 queries in a 60 second window', null],
  ])('gives a waiting time in seconds only if it states one: "%s" gives %s', (words, seconds) => {
    const read = reading('example.tld', ['Query quota exceeded, it', `Limit exceeded, ${words}`]);
    const [first, second] = ['Query limit exceeded.', `Your query limit is exceeded and ${words}.`];
    expect(read).toMatchObject({ code: 'registry_throttled' });
    expect(reading('example.tld', second)).toMatchObject({ retryAfterSeconds: seconds });
    expect(reading('example.tld', first)).toMatchObject({ retryAfterSeconds: null });
  });

  it.each([
    ['Requests of this client are not permitted. Please use https://www.nic.tld/whois/ for queries.'],
    ["Server can't process your request."],
    ['Connection attempt failed 2.'],
    ['WHOIS lookup for EXAMPLE.TLD can temporarily not be answered. Please try again.'],
    ['>>> This name is not available for registration:\r\n>>> Tld not supported by this registry interface'],
    ['TLD is not supported.'],
    ['This TLD has no whois server.'],
    ['The WHOIS service has been retired.'],
    ['Status: This WHOIS server does not have any records for that zone.'],
    ['Error: Invalid query'],
    ['query_status: 440 Request Denied'],
    ['Access denied'],
    ['Service is down for maintenance, no data found'],
    ['OK! You win'],
  ])('is unusable if the server cannot answer: %j', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable by whois\.(refused|unclassified)/);
  });

  it('is unusable if it is about another name', () => {
    const other = ['Domain Name: OTHER.TLD', 'Registrar: Example', 'Creation Date: 2019-06-01'];
    expect(judged('example.tld', other)).toBe('registry_answer_unusable by whois.other_name');
  });

  it('is read as usual if only its general terms mention limits and refusals', () => {
    expect(judged('example.tld', [...TERMS, '', 'NOT FOUND'])).toBe('absent by whois.absent.not_found');
    expect(
      judged('example.tld', ['Domain Name: example.tld', 'Registrar: Example', 'Created: 2019-06-01', ...TERMS]),
    ).toBe('found by whois.found');
  });
});

describe('a WHOIS answer with words on reservation', () => {
  it.each([
    ['Reserved Domain.'],
    ['This domain violates registry policy.'],
    ['Domain name matches a restricted word'],
    ['Domain: example.tld\r\nStatus: NOT ALLOWED'],
    ['Domain: example.tld\r\nStatus: UNASSIGNABLE'],
    ['Domain Name: example.tld\r\nDomain Status: Reserved'],
    ['This domain is currently not available for registration.'],
    ['stop-list: Domain can not be registered.'],
    ['This domain name is restricted to qualified registrants.'],
    ['Domain is not available or is reserved by the registry.'],
    ['the Domain Name you apply can not be registered online.'],
  ])('means reserved if it says %j', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^reserved by whois\.reserved\./);
  });

  it('does not mean reserved if it says "All rights reserved"', () => {
    expect(judged('example.tld', ['All rights reserved.', 'No match'])).toMatch(/^absent/);
  });
});

describe('a name in a release period', () => {
  it.each([
    ['This domain is currently available for application via the Identity Digital Dropzone service.', 'dropzone'],
    ['This domain is available in the Expiry Access Period.', 'expiry_access_period'],
  ])('is not reported as available if WHOIS says "%s"', (text, release) => {
    expect(reading('example.tld', [text, '>>> Last update of WHOIS database: 2026-05-12T14:15:51Z <<<'])).toMatchObject(
      {
        rule: `whois.released.${release}`,
        facts: { outcome: 'reserved', registrable: 'unknown', quarantine: 'pending_delete', release },
      },
    );
  });
});
