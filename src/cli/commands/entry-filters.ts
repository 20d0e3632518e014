import { type Command, Option } from 'commander';
import { parseWholeNumber } from '../terminal.js';

/** Selects entries to list, export, change or remove, like the query parameters of the API. */
export interface FilterOptions {
  readonly search?: string;
  readonly status?: string;
  readonly phase?: string;
  readonly domain?: string;
  readonly tag?: string[];
  readonly purpose?: string;
  readonly operator?: string;
  readonly expiresWithin?: number;
  readonly expiresIn?: string;
  readonly failing?: true;
  readonly neverAnswered?: true;
  readonly drift?: true;
  readonly paused?: boolean;
  readonly import?: string;
  readonly id?: string[];
}

export function addFilters(command: Command): Command {
  return command
    .option('--search <text>', 'only entries with this text in their name, a tag or the note')
    .option('--status <status>', 'only entries of this status')
    .option('--phase <phase>', 'only entries in this phase, such as redemption')
    .option('--domain <prefix>', 'only names that begin so')
    .option('--tag <tag...>', 'only entries with all of these tags')
    .addOption(
      new Option('--purpose <purpose>', 'only entries with this purpose').choices(['own', 'acquire', 'monitor']),
    )
    .option('--operator <operator>', 'only names of this registry operator')
    .option('--expires-within <days>', 'only names that expire within so many days', parseWholeNumber())
    .option('--expires-in <month>', 'only names that expire in this month, such as 2027-03')
    .option('--failing', 'only names whose checks fail')
    .option('--never-answered', 'only names whose registry has never answered')
    .option('--drift', 'only names whose record is not as expected')
    .option('--paused', 'only paused entries')
    .option('--no-paused', 'no paused entries')
    .option('--id <id...>', 'only these entries, wl_…')
    .option('--import <id>', 'only entries that this import added: its import_id, run_…');
}

export function toFilterQuery(options: FilterOptions, others: Readonly<Record<string, string>>): URLSearchParams {
  const { search, status, phase, domain, tag = [], purpose, operator, expiresWithin } = options;
  const given = {
    ...{ search, status, phase, domain, purpose, operator, import: options.import },
    expires_within_days: expiresWithin,
    expires_in_month: options.expiresIn,
    failing: options.failing,
    answered: options.neverAnswered && false,
    drift: options.drift,
    paused: options.paused,
  };
  const query = new URLSearchParams(others);
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  for (const one of tag) query.append('tag', one);
  for (const one of options.id ?? []) query.append('id', one);
  return query;
}

/** The option to send channels the current state at once. Without this option, they get only later changes. */
export function notifyCurrentOption(): Option {
  return new Option('--notify-current', 'tell channels what is already true too');
}
