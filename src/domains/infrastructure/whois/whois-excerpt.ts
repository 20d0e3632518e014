import { fieldOf } from './whois-fields.js';
import type { WhoisRecord } from './whois-record.js';
import type { Statement } from './whois-statement.js';

const LIMIT = 500;
/** An answer this short is one sentence of the server's own. */
const BRIEF = 3;

/**
 * What of an answer is kept as evidence: the sentence that a rule matched and the fields of which facts are made, so
 * that no contact can slip in. Of an answer that nothing matched only a brief one is quoted.
 */
export function excerptOf(record: WhoisRecord, matched: Statement | null, statements: readonly Statement[]): string {
  const fields = record.used.map(({ label, value }) => `${label}: ${value}`);
  const isBrief = fields.length === 0 && statements.length <= BRIEF;
  const quoted = matched ? [matched] : isBrief ? statements.filter(isOfServer) : [];
  const excerpt = [...quoted.map(({ text }) => text), ...fields].map(withoutContacts).join('; ');
  return (excerpt || `${statements.length} lines`).slice(0, LIMIT).toWellFormed();
}

/** Any other label could be a contact's. */
function isOfServer({ text }: Statement): boolean {
  const field = fieldOf(text);
  return field === null || /^(?:error|message|status|result|query|notice|warning)/.test(field.label);
}

function withoutContacts(text: string): string {
  return text
    .replace(/[^\s@:;,<>"]+@[^\s@:;,<>"]+/g, '[address]')
    .replace(/\+?\d[\d ().-]{8,}\d(?!\d|:)/g, (number) =>
      /^\d{4}-\d\d|^\d{1,2}[./-]\d|^\d{8}|^\d{4}[./]/.test(number) ? number : '[number]',
    );
}
