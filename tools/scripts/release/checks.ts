import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { mustRun, runProgram } from '../extensions-check/commands.js';

export interface ReleaseState {
  /** The version in package.json. */
  readonly version: string;
  /** The versions in other files, by a description of the place. */
  readonly otherVersions: Readonly<Record<string, string | undefined>>;
  /** The text after the version in the first heading of CHANGELOG.md, such as `2026-12-01` or `unreleased`. */
  readonly date: string;
  /** The first section of CHANGELOG.md, without its heading. */
  readonly notes: string;
  readonly uncommitted: readonly string[];
  readonly commit: string;
  /** null if this version has no tag. */
  readonly taggedCommit: string | null;
}

export async function readReleaseState(root: string): Promise<ReleaseState> {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(text('package.json')) as { version: string };
  const chart = parse(text('deploy/helm/namewatch/Chart.yaml')) as { version: string; appVersion: string };
  const changes = readLatestChanges(text('CHANGELOG.md'));
  const status = await mustRun('git', ['status', '--porcelain'], root);
  const tagged = await runProgram('git', ['rev-parse', '--verify', '--quiet', `refs/tags/v${version}^{commit}`], root);
  return {
    version,
    otherVersions: {
      'the lock': (JSON.parse(text('package-lock.json')) as { version: string }).version,
      'the first section of CHANGELOG.md': changes.version,
      "the chart's version": chart.version,
      "the chart's appVersion": chart.appVersion,
      'api/openapi.json': (JSON.parse(text('api/openapi.json')) as { info: { version: string } }).info.version,
      'the TypeScript client': (JSON.parse(text('clients/typescript/package.json')) as { version: string }).version,
    },
    date: changes.date,
    notes: changes.notes,
    uncommitted: status.split('\n').filter((line) => line !== ''),
    commit: (await mustRun('git', ['rev-parse', 'HEAD'], root)).trim(),
    taggedCommit: tagged.code === 0 ? tagged.output.trim() : null,
  };
}

/** Reads the section below `## [1.2.3] – 2026-12-01`. All is empty if there is no such section. */
export function readLatestChanges(changelog: string): { version: string; date: string; notes: string } {
  const [, version = '', date = '', notes = ''] =
    /^## \[(.+?)\](?: – (.+))?\n([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? [];
  return { version, date, notes: notes.trim() };
}

/** Returns every reason against releasing this commit. A dry run may lack the date. */
export function findReleaseProblems(state: ReleaseState, { isDryRun }: { isDryRun: boolean }): string[] {
  const { version, otherVersions, date, notes, uncommitted, commit, taggedCommit } = state;
  const different = Object.entries(otherVersions).filter(([, other]) => other !== version);
  const isDated = /^\d{4}-\d\d-\d\d$/.test(date);
  return [
    ...uncommitted
      .slice(0, 1)
      .map((line) => `not everything is committed: ${uncommitted.length} files, the first is ${line.slice(3)}`),
    ...different.map(([place, other]) => `package.json says ${version}, ${place} says ${other || 'nothing'}`),
    ...(notes === '' ? ['the first section of CHANGELOG.md says nothing'] : []),
    ...(isDated || isDryRun
      ? []
      : [`CHANGELOG.md has no date for ${version}, but "${date}": write ## [${version}] – YYYY-MM-DD`]),
    // A tag on this commit is fine: the release workflow runs when it is pushed.
    ...(taggedCommit === null || taggedCommit === commit
      ? []
      : [`the tag v${version} exists, on commit ${taggedCommit.slice(0, 10)}`]),
  ];
}
