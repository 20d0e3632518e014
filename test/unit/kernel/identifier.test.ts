import { describe, expect, it } from '@jest/globals';
import { idFromUuid, isId, newId } from '../../../src/kernel/identifier.js';

describe('an id', () => {
  // The vectors of the TypeID specification 0.3.
  it.each([
    ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
    ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
    ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
    ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
  ])('encodes the UUID %s as %s', (uuid, suffix) => expect(idFromUuid('wl', uuid)).toBe(`wl_${suffix}`));

  it('sorts by its time of creation', () => {
    const made = Array.from({ length: 1_000 }, () => newId('evt'));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(1_000);
  });

  it.each(['WL_01h455vb4pex5vsknk084sn02q', 'wl_01H455VB4PEX5VSKNK084SN02Q', 'nc_01h455vb4pex5vsknk084sn02q'])(
    'is not a valid watchlist id if spelt %s',
    (text) => expect(isId('wl', text)).toBe(false),
  );

  it.each(['wl_', 'wl_01h455vb4pex5vsknk084sn02', 'wl_81h455vb4pex5vsknk084sn02q', "wl_01h455vb4pex5vsknk084sn0' "])(
    'is refused if malformed: %s',
    (text) => expect(isId('wl', text)).toBe(false),
  );

  it('is accepted if the service generated it', () => expect(isId('acc', newId('acc'))).toBe(true));
});
