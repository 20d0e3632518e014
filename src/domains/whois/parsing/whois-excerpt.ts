import { parseField } from './whois-fields.js';
import type { WhoisRecord } from './whois-record.js';
import type { Sentence } from './sentences.js';

const MAX_EXCERPT_LENGTH = 500;
/** Answers with up to this many sentences are quoted. */
const BRIEF_SENTENCES = 3;

/**
 * The part of an answer that is kept as evidence: the matched sentence and the fields used, so that no contact data
 * is kept. Without a match, only a brief answer is quoted.
 */
export function whoisExcerpt(record: WhoisRecord, matched: Sentence | null, sentences: readonly Sentence[]): string {
  const fields = record.usedFields.map(({ label, value }) => `${label}: ${value}`);
  const isBrief = fields.length === 0 && sentences.length <= BRIEF_SENTENCES;
  const quoted = matched ? [matched] : isBrief ? sentences.filter(isServerMessage) : [];
  const excerpt = [...quoted.map(({ text }) => text), ...fields].map(redactContacts).join('; ');
  return (excerpt || `${sentences.length} lines`).slice(0, MAX_EXCERPT_LENGTH).toWellFormed();
}

/** Other labels may be those of contacts. */
function isServerMessage({ text }: Sentence): boolean {
  const field = parseField(text);
  return field === null || /^(?:error|message|status|result|query|notice|warning)/.test(field.label);
}

function redactContacts(text: string): string {
  return text
    .replace(/[^\s@:;,<>"]+@[^\s@:;,<>"]+/g, '[address]')
    .replace(/\+?\d[\d ().-]{8,}\d(?!\d|:)/g, (number) =>
      /^\d{4}-\d\d|^\d{1,2}[./-]\d|^\d{8}|^\d{4}[./]/.test(number) ? number : '[number]',
    );
}
