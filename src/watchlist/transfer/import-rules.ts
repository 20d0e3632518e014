import { type EntrySettings, findDifferences, MAX_TAGS, omitUndefined } from '../domain/entry-settings.js';
import type { Decision, KnownEntry, Row } from '../domain/row.js';
import { DomainError } from '../../kernel/domain-error.js';
import { type FailedLine, failedLine, type ValidLine } from './import-lines.js';

export interface SyncOptions {
  /** Only entries with this tag are changed or removed. Every line of the file gives its entry this tag. */
  readonly scopeTag: string;
  /** How many entries that are missing in the file may be removed; null removes none. */
  readonly maxRemovals: number | null;
}

/**
 * `keep` leaves existing entries alone, and `update` changes the settings that a line gives. A sync also resets omitted
 * settings, and may remove entries that the file lacks.
 */
export type ImportMode = 'keep' | 'update' | SyncOptions;

/** Each reading of a file needs a new instance, because a sync remembers the names. */
export interface ImportRules {
  toRow(line: ValidLine): Row | FailedLine;

  /** Whether a line of a sync has named this domain. Imports without sync always return true. */
  hasNamed(domain: string): boolean;
}

export function importRules(mode: ImportMode): ImportRules {
  return typeof mode === 'object' ? new SyncRules(mode.scopeTag) : new AddingRules(mode === 'update');
}

class AddingRules implements ImportRules {
  constructor(private readonly updates: boolean) {}

  toRow({ name, given, settings }: ValidLine): Row {
    const wanted = this.updates ? omitUndefined(given) : {};
    return { name, add: settings, decide: ({ settings: current }) => toDecision(current, wanted) };
  }

  hasNamed(): boolean {
    return true;
  }
}

class SyncRules implements ImportRules {
  private readonly named = new Map<string, number>();

  constructor(private readonly tag: string) {}

  toRow({ line, name, settings }: ValidLine): Row | FailedLine {
    const domain = name.ascii;
    const former = this.named.get(domain);
    if (former !== undefined) return invalid(line, domain, `${domain} is named by line ${former} already.`);
    this.named.set(domain, line);
    const tags = [...new Set([...settings.tags, this.tag])];
    if (tags.length > MAX_TAGS) return invalid(line, domain, `A name may have ${MAX_TAGS} tags, with ${this.tag}.`);
    const { paused: _, ...described } = { ...settings, tags }; // a file does not say whether an entry is paused
    const decide = (entry: KnownEntry) => {
      if (!entry.settings.tags.includes(this.tag)) throw new OutOfScope(domain, this.tag);
      return toDecision(entry.settings, described);
    };
    return { name, add: { ...settings, tags }, decide };
  }

  hasNamed(domain: string): boolean {
    return this.named.has(domain);
  }
}

class OutOfScope extends DomainError {
  constructor(domain: string, tag: string) {
    const message = `${domain} is watched without the tag ${tag}. Give its entry the tag to let this file manage it.`;
    super('already_watched', message);
  }
}

function toDecision(current: EntrySettings, wanted: Partial<EntrySettings>): Decision {
  const differing = findDifferences(current, wanted);
  if (differing.length === 0) return { act: 'keep' };
  return { act: 'change', settings: Object.fromEntries(differing.map((key) => [key, wanted[key]])) };
}

function invalid(line: number, domain: string, message: string): FailedLine {
  return failedLine({ line, domain }, { code: 'invalid_request', message });
}
