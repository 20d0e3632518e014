import type { Caller } from '../../auth/index.js';
import type { WatchConfig } from '../../config/sections.js';
import type { CheckDomain } from '../../domains/index.js';
import { MAX_TAGS } from '../domain/entry-settings.js';
import { type FailedLine, failedLine, type ParsedLine, validateLine, type ValidLine } from './validated-lines.js';

/** Validates the lines of one reading of a file: each gets the tag, and none names a domain again. */
export class ScopedLines {
  /** The line of each name. */
  private readonly named = new Map<string, number>();

  constructor(
    private readonly account: Caller['account'],
    private readonly scopeTag: string,
    private readonly checks: Pick<CheckDomain, 'parse'>,
    private readonly config: WatchConfig,
  ) {}

  validate(parsed: ParsedLine): ValidLine | FailedLine {
    const one = validateLine(parsed, this.account, this.checks, this.config);
    if (!('newEntry' in one)) return one;
    const { line, newEntry } = one;
    const domain = newEntry.name.ascii;
    const former = this.named.get(domain);
    if (former !== undefined) return invalid(line, domain, `${domain} is named by line ${former} already.`);
    this.named.set(domain, line);
    const tags = [...new Set([...newEntry.settings.tags, this.scopeTag])];
    if (tags.length > MAX_TAGS)
      return invalid(line, domain, `A name may have ${MAX_TAGS} tags, with ${this.scopeTag}.`);
    return { line, newEntry: { ...newEntry, settings: { ...newEntry.settings, tags } } };
  }

  hasNamed(domain: string): boolean {
    return this.named.has(domain);
  }
}

function invalid(line: number, domain: string, message: string): FailedLine {
  return failedLine({ line, domain }, { code: 'invalid_request', message });
}
