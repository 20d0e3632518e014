import type { Type } from '@nestjs/common';
import semver from 'semver';
import { version } from '../platform/outbound/user-agent.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { findDeclaredNameProblems, findShapeProblems } from './extension-problems.js';
import type { Environment } from '../config/config.js';
import type { Extension } from './extension.js';
import { findNameProblem } from './reserved-names.js';
import { readExtensionSettings } from './extension-settings.js';

/** The extensions of an installation, in the order of the setting EXTENSIONS. */
export class Extensions {
  static readonly none = new Extensions([]);

  private constructor(
    readonly all: readonly Extension[],
    private readonly versions: ReadonlyMap<Extension, string | null> = new Map(),
    /** The settings of each extension, by settings class. */
    readonly settings: ReadonlyMap<Type, object> = new Map(),
  ) {}

  /** @throws InvalidConfigurationError with all problems, not only the first */
  static from(all: readonly Extension[], loading: Loading = {}): Extensions {
    const problems = [...(loading.problems ?? []), ...all.flatMap(findShapeProblems)];
    const sound = all.filter((extension) => findShapeProblems(extension).length === 0);
    problems.push(
      ...sound.flatMap((extension, position) => findProblems(extension, sound.slice(0, position))),
      ...findDeclaredNameProblems(sound),
    );
    const settings = readExtensionSettings(sound, loading.environment ?? {});
    problems.push(...settings.problems);
    if (problems.length > 0) throw new InvalidConfigurationError([...new Set(problems)]);
    return all.length === 0 ? Extensions.none : new Extensions(all, loading.versions, settings.values);
  }

  versionOf(extension: Extension): string | null {
    return this.versions.get(extension) ?? null;
  }

  /** Returns a line such as `extensions loaded: ledger 1.2.3, pager`. */
  describe(): string {
    const names = this.all.map((extension) => [extension.name, this.versionOf(extension) ?? []].flat().join(' '));
    return `extensions loaded: ${names.join(', ')}`;
  }

  collect<Kind extends ListKind>(kind: Kind): Declared<Kind>[] {
    return this.all.flatMap((extension) => (extension[kind] ?? []) as readonly Declared<Kind>[]);
  }
}

interface Loading {
  /** The environment with the settings of the extensions. */
  readonly environment?: Environment;
  /** Sentences that say why some extensions could not be loaded. */
  readonly problems?: readonly string[];
  readonly versions?: ReadonlyMap<Extension, string | null>;
}

type ListKind = 'accountData' | 'channelSenders' | 'entities' | 'lookupSources' | 'scopes';
type Declared<Kind extends ListKind> = NonNullable<Extension[Kind]>[number];

function findProblems({ name, compatibility }: Extension, earlier: readonly Extension[]): string[] {
  const nameProblem = findNameProblem(name);
  const problems = nameProblem === null ? [] : [nameProblem];
  if (earlier.some((other) => other.name === name)) problems.push(`two extensions have the name ${name}`);
  if (semver.validRange(compatibility) === null)
    problems.push(`the compatibility of the extension ${name} is not a semver range: ${JSON.stringify(compatibility)}`);
  else if (!semver.satisfies(version, compatibility, { includePrerelease: true }))
    problems.push(`the extension ${name} works with Namewatch ${compatibility}, and this is ${version}`);
  return problems;
}

/** Returns the first line of the error's message. Further lines may be a stack trace or source code. */
export function toSentence(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.trim().split('\n')[0] ?? '';
}
