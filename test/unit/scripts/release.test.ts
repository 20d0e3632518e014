import { describe, expect, it } from '@jest/globals';
import { findReleaseProblems, readLatestChanges, type ReleaseState } from '../../../tools/scripts/release/checks.js';

const READY: ReleaseState = {
  version: '1.2.3',
  otherVersions: { 'the lock': '1.2.3', 'openapi.json': '1.2.3' },
  date: '2026-12-01',
  notes: '- A change.',
  uncommitted: [],
  commit: '0123456789abcdef',
  taggedCommit: null,
};
const problems = (changed: Partial<ReleaseState>, isDryRun = false) =>
  findReleaseProblems({ ...READY, ...changed }, { isDryRun });

describe('a release', () => {
  it('has no problems if all is committed and the versions, notes and tag agree', () => {
    expect(problems({})).toEqual([]);
  });

  it.each<[string, Partial<ReleaseState>, string]>([
    [
      'has uncommitted files',
      { uncommitted: [' M src/kit.ts', '?? notes'] },
      'not everything is committed: 2 files, the first is src/kit.ts',
    ],
    [
      'has two different versions',
      { otherVersions: { 'the lock': '1.2.2' } },
      'package.json says 1.2.3, the lock says 1.2.2',
    ],
    [
      'has no section in the changelog',
      { otherVersions: { 'the first section of CHANGELOG.md': '' } },
      'package.json says 1.2.3, the first section of CHANGELOG.md says nothing',
    ],
    ['has an empty section in the changelog', { notes: '' }, 'the first section of CHANGELOG.md says nothing'],
    [
      'has no date in the changelog',
      { date: 'unreleased' },
      'CHANGELOG.md has no date for 1.2.3, but "unreleased": write ## [1.2.3] – YYYY-MM-DD',
    ],
    [
      'has a tag on another commit',
      { taggedCommit: 'fedcba9876543210' },
      'the tag v1.2.3 exists, on commit fedcba9876',
    ],
  ])('is refused when it %s', (_, changed, problem) => {
    expect(problems(changed)).toEqual([problem]);
  });

  it('is refused with all reasons at once', () => {
    expect(problems({ uncommitted: ['?? a'], notes: '', date: '' })).toHaveLength(3);
  });

  it('passes a dry run before its date is set', () => {
    expect(problems({ date: 'unreleased' }, true)).toEqual([]);
  });

  it('may be repeated for the commit that already has its tag', () => {
    expect(problems({ taggedCommit: READY.commit })).toEqual([]);
  });
});

describe('the notes of a release', () => {
  const CHANGELOG =
    '# Changelog\n\nHow it is written.\n\n## [1.2.3] – 2026-12-01\n\n### Check\n\n- A change.\n\n## [1.2.2] – 2026-11-01\n\n- Another.\n';

  it('are the first section of the changelog', () => {
    const latest = { version: '1.2.3', date: '2026-12-01', notes: '### Check\n\n- A change.' };
    expect(readLatestChanges(CHANGELOG)).toEqual(latest);
    expect(readLatestChanges(CHANGELOG.replace(/## \[1\.2\.2\][^]*/, ''))).toEqual(latest);
  });

  it('are empty if the changelog has no section', () => {
    expect(readLatestChanges('# Changelog\n')).toEqual({ version: '', date: '', notes: '' });
  });
});
