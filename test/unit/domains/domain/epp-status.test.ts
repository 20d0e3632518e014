import { describe, expect, it } from '@jest/globals';
import { normalizeEppStatus } from '../../../../src/domains/domain/lifecycle/epp-status.js';

describe('an EPP status', () => {
  it.each([
    ['pendingDelete', 'pending delete'],
    ['pending delete', 'pending delete'],
    ['PENDING_DELETE', 'pending delete'],
    ['pending-delete', 'pending delete'],
    [' redemptionPeriod https://icann.org/epp#redemptionPeriod', 'redemption period'],
    ['clientHold (http://www.icann.org/epp#clientHold)', 'client hold'],
    ['https://icann.org/epp#pendingDelete', 'pending delete'],
    ['https://icann.org/epp', ''],
    ['autoRenewPeriod', 'auto renew period'],
    ['autoRenewGracePeriod', 'auto renew period'],
    ['pendingDeleteRestorable', 'redemption period'],
    ['REDEMPTION', 'redemption period'],
    ['deleteCandidate', 'pending delete'],
    ['To be deleted', 'pending delete'],
    ['ok', 'active'],
    ['linked', 'associated'],
    ['Server Transfer Prohibited', 'server transfer prohibited'],
    ['Delete Prohibited', 'delete prohibited'],
    ['Quarantined by the Court', 'quarantined by the court'],
    ['', ''],
  ])('is normalized from %j to %j', (spelling, status) => {
    expect(normalizeEppStatus(spelling)).toBe(status);
  });
});
