import { describe, expect, it } from '@jest/globals';
import type { Record as RegistrationRecord } from '../../../clients/typescript/src/index.js';
import { asItIs, toExpectedChange, toExpectedForm } from '../../../ui/src/screens/name/expected-form.js';
import { changedLines, driftSentences } from '../../../ui/src/screens/name/record-words.js';

const RECORD: RegistrationRecord = {
  nameservers: ['ns1.example.net', 'ns3.example.net'],
  registrar: { name: 'Example Registrar', iana_id: '292' },
  statuses: ['client transfer prohibited'],
  locked: true,
  ds: [],
  last_transfer: null,
};

describe('a registration record on a name’s page', () => {
  it('has a sentence for each value that differs from the expected one', () => {
    const expected = { nameservers: ['NS1.example.net.', 'ns2.example.net'], registrar_id: '1', locked: false };
    expect(driftSentences(['nameservers', 'registrar_id', 'locked'], expected, RECORD)).toEqual([
      'The name servers are not those that you expect (missing: ns2.example.net; not expected: ns3.example.net).',
      'The registrar is Example Registrar, IANA 292; you expect IANA 1.',
      'Transfers are locked; you expect them to be allowed.',
    ]);
  });

  it('shows after a change which values were removed and which were added', () => {
    const before = ['ns1.example.net', 'ns2.example.net'];
    expect(changedLines({ before, after: ['ns2.example.net', 'ns4.example.net'] })).toEqual({
      removed: ['ns1.example.net'],
      added: ['ns4.example.net'],
    });
    const registrars = { before: { name: null, iana_id: '1' }, after: { name: 'Example', iana_id: null } };
    expect(changedLines(registrars)).toEqual({ removed: ['IANA 1'], added: ['Example'] });
  });

  it('can become the expected record, which can also be cleared', () => {
    const form = asItIs(RECORD);
    expect(toExpectedChange(form)).toEqual({
      expected: { nameservers: RECORD.nameservers, registrar_id: '292', locked: true },
    });
    expect(toExpectedChange(toExpectedForm({ expected: null }))).toEqual({ expected: null });
  });
});
