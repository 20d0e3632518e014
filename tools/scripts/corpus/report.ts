import type { Judgement } from './judge-entry.js';

export interface Figures {
  readonly entries: number;
  /** Entries with a known verdict. */
  readonly judged: number;
  readonly right: number;
  readonly falseAvailable: number;
  readonly expiryScored: number;
  readonly expiryRight: number;
}

export function computeFigures(judgements: readonly Judgement[]): Figures {
  const count = (isCounted: (judgement: Judgement) => boolean) => judgements.filter(isCounted).length;
  return {
    entries: judgements.length,
    judged: count(({ isRight }) => isRight !== null),
    right: count(({ isRight }) => isRight === true),
    falseAvailable: count(({ isFalselyAvailable }) => isFalselyAvailable),
    expiryScored: count(({ isExpiryRight }) => isExpiryRight !== null),
    expiryRight: count(({ isExpiryRight }) => isExpiryRight === true),
  };
}

export function formatJson(judgements: readonly Judgement[]): string {
  const all = computeFigures(judgements);
  const unseen = computeFigures(judgements.filter(isUnseen));
  return JSON.stringify({
    entries: all.entries,
    verdict_right: all.right,
    false_available: all.falseAvailable,
    expiry_scored: all.expiryScored,
    expiry_right: all.expiryRight,
    unseen_entries: unseen.entries,
    unseen_right: unseen.right,
  });
}

/** Returns a table, and with `withMisses` every wrong result. */
export function formatReport(judgements: readonly Judgement[], withMisses: boolean): string {
  const kinds = ['whois', 'rdap'] as const;
  const rows = [
    ...kinds.map((kind) =>
      row(
        kind,
        judgements.filter(({ entry }) => entry.kind === kind),
      ),
    ),
    row('all', judgements),
    row('unseen TLDs', judgements.filter(isUnseen)),
  ];
  const misses = judgements.filter(isMiss).map(formatMiss);
  return [HEAD, ...rows, ...(withMisses ? misses : [])].join('\n');
}

const HEAD = `${''.padEnd(12)}${'entries'.padStart(8)}${'right'.padStart(16)}${'false available'.padStart(18)}${'expiry right'.padStart(22)}`;

function row(name: string, judgements: readonly Judgement[]): string {
  const { entries, judged, right, falseAvailable, expiryRight, expiryScored } = computeFigures(judgements);
  return [
    name.padEnd(12),
    `${entries}`.padStart(8),
    share(right, judged, judged !== entries).padStart(16),
    (judged === 0 ? '–' : `${falseAvailable}`).padStart(18),
    share(expiryRight, expiryScored, true).padStart(22),
  ].join('');
}

function share(part: number, whole: number, withWhole = false): string {
  if (whole === 0) return '–';
  return `${part}${withWhole ? `/${whole}` : ''} (${((100 * part) / whole).toFixed(1)} %)`;
}

/** Whether to list a result. Without known results, everything called available is listed for review. */
function isMiss({ isRight, isExpiryRight, verdict }: Judgement): boolean {
  return isRight === false || isExpiryRight === false || (isRight === null && verdict === 'available');
}

function isUnseen({ entry }: Judgement): boolean {
  return entry.tld_holdout_only === true;
}

function formatMiss({ entry, domain, verdict, rule, expiresAt, isRight }: Judgement): string {
  const expected = entry.expect?.accept.join('|') ?? 'judged';
  return isRight === true
    ? `expiry   ${entry.id} (${domain}): ${expiresAt?.toISOString() ?? 'none'}, not ${entry.expect?.expires_at ?? 'none'}`
    : `verdict  ${entry.id} (${domain}): ${verdict} by ${rule}, not ${expected}`;
}
