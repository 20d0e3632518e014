import { beforeEach, describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { WhoisClient } from '../../../../src/domains/whois/whois-client.js';
import { whoisServer } from '../../../../src/domains/whois/whois-server-directory.js';
import { AddressGuard } from '../../../../src/platform/outbound/address-guard.js';
import { whoisLookup } from '../../../support/builders/lookup-sources.js';
import { FakeWhois, saying, whoisFaults } from '../../../world/whois.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { running } from '../../../support/running.js';

const NAME = 'example.tld';
const clock = new TestClock();
const registry = running(() => FakeWhois.start());

beforeEach(() => registry.releases(NAME));

function lookup(networks = ['127.0.0.0/8']) {
  return whoisLookup(new WhoisClient({ guard: new AddressGuard(networks) }), clock);
}

interface ServerChange {
  readonly host?: string;
  readonly port?: number;
  readonly isOverride?: boolean;
}

/** The registry's own server, at the fake's port. */
function server({ host = '127.0.0.1', port = registry.port, isOverride = true }: ServerChange = {}) {
  return whoisServer(host, port, isOverride);
}

const lookUp = (name = NAME, { deadline = 5_000, ...change }: ServerChange & { deadline?: number } = {}) =>
  lookup()
    .lookUp(DomainName.restore(name), server(change), deadline)
    .then(({ result }) => result);

describe('a WHOIS lookup', () => {
  it('returns a registration with its status and expiry date', async () => {
    registry.holds(NAME, '2027-06-01T12:00:00Z');
    expect(await lookUp()).toMatchObject({
      kind: 'observation',
      source: 'whois',
      witnesses: 1,
      observedAt: clock.now(),
      facts: { outcome: 'found', statuses: ['active'], expiresAt: new Date('2027-06-01T12:00:00Z') },
      evidence: [{ source: 'whois', server: registry.host, outcome: 'found', rule: 'whois.found', httpStatus: null }],
    });
  });

  it('reports an unregistered name as not found', async () => {
    expect(await lookUp()).toMatchObject({
      kind: 'observation',
      source: 'whois',
      facts: { outcome: 'absent', registrable: 'yes' },
      evidence: [{ rule: 'whois.absent.no_match', excerpt: `No match for "EXAMPLE.TLD".` }],
    });
  });

  it.each([
    ['example.de', '-T dn,ace example.de'],
    ['example.com', '=example.com'],
    ['example.jp', 'example.jp/e'],
    ['xn--bcher-kva.tld', 'xn--bcher-kva.tld'],
  ])('asks for %s in the query syntax of its registry: %s', async (name, query) => {
    await lookUp(name, { isOverride: false });
    expect(registry.queries.at(-1)).toBe(query);
  });

  it('sends the name alone to a server set by override', async () => {
    await lookUp('example.de');
    expect(registry.queries.at(-1)).toBe('example.de');
  });

  it('reads an answer in Latin-1', async () => {
    const record = ['Domain: example.hu', 'Registrar: Példa', 'Created: 2019-06-01'].join('\n');
    registry.says('example.hu', saying(Buffer.from(record, 'latin1')));
    expect(await lookUp('example.hu', { isOverride: false })).toMatchObject({ facts: { outcome: 'found' } });
  });

  it('reads an answer that arrives in small pieces', async () => {
    registry.says(NAME, (socket) => {
      socket.setNoDelay(true);
      const pieces = 'Domain: example.tld\r\nStatus: free\r\n'.match(/.{1,5}/gs) ?? [];
      const next = () => (pieces.length > 0 ? socket.write(pieces.shift() ?? '', next) : socket.end());
      next();
    });
    expect(await lookUp()).toMatchObject({ kind: 'observation', facts: { outcome: 'absent' } });
  });

  it.each([
    [
      'says that too many queries were sent',
      saying('Query limit exceeded, try again in 30 seconds'),
      'registry_throttled',
      30,
    ],
    ['refuses the client', saying('Requests of this client are not permitted.'), 'registry_answer_unusable', null],
    ['sends endless text', whoisFaults.floods, 'registry_answer_unusable', null],
    ['closes the connection without an answer', whoisFaults.hangsUp, 'registry_unreachable', null],
    ['closes the connection in the middle of its answer', whoisFaults.breaksOff, 'registry_unreachable', null],
  ])('fails with the matching error code when the server %s', async (_what, answer, code, retryAfterSeconds) => {
    registry.says(NAME, answer);
    expect(await lookUp()).toMatchObject({
      kind: 'failure',
      code,
      retryAfterSeconds,
      registry: registry.host,
      evidence: [{ source: 'whois', outcome: 'inconclusive' }],
    });
  });

  it.each([
    ['sends single bytes forever', whoisFaults.drips],
    ['sends nothing', whoisFaults.keepsSilent],
  ])('times out when the server sends too slowly or nothing: it %s', async (_what, answer) => {
    registry.says(NAME, answer);
    expect(await lookUp(NAME, { deadline: 300 })).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
  });

  it('fails when no server listens', async () => {
    const gone = await FakeWhois.start();
    const { port } = gone;
    await gone.stop();
    expect(await lookUp(NAME, { port })).toMatchObject({
      code: 'registry_unreachable',
      evidence: [{ rule: 'whois.connect' }],
    });
  });

  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'never connects to %s unless that address is allowed',
    async (host) => {
      const before = registry.queries.length;
      const { result: refused } = await lookup([]).lookUp(DomainName.restore(NAME), server({ host }), 5_000);
      expect(refused).toMatchObject({ code: 'registry_unreachable', evidence: [{ rule: 'whois.blocked' }] });
      expect(registry.queries).toHaveLength(before);
    },
  );
});
