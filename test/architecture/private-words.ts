/**
 * Words that this project once used in a sense of its own, where the field has a standard term. Identifiers are taken
 * apart (`lookedUp`, `LOOK_TIMEOUT`, `look-cache`), so that no spelling hides one.
 */
const WORDS = [
  'nobody',
  'whoever',
  'somebody',
  ...['tell', 'tells', 'told'],
  ...['patience', 'impatient'],
  'anew',
  ...['hear', 'hears', 'heard', 'unheard'],
  ...['lane', 'lanes'],
  ...['testimony', 'testimonies'],
  ...['undertaking', 'standings', 'courier', 'doorbell', 'flyer'],
  ...['wishes', 'whom'],
];
/** `look up` and `lookup` are standard; a `look` for a lookup or a check is not. */
const LOOK = '(?:look|looks|looked|looking)(?! up\\b)(?!-up\\b)(?!s? like\\b)';
const PRIVATE = new RegExp(`\\b(?:${WORDS.join('|')}|${LOOK})\\b`, 'gi');

/** Stored or public: columns, stored JSON fields, migrations, metrics, values of the API, the name of a system account. */
const PUBLIC =
  /\b(?:shared_looks(?:_changed)?|look_flights|told_rung|failing_told|second_look|lookAgainWithin|namewatch_looks_under_way|lookAt|unheardSince|migration-\d+-shared-looks|Migration\d+SharedLooks)\b|'nobody'|`nobody`/g;

export interface Finding {
  readonly word: string;
  readonly line: number;
}

export function findPrivateWords(text: string): Finding[] {
  return text.split('\n').flatMap((line, index) =>
    [...takeApart(line.replace(PUBLIC, '')).matchAll(PRIVATE)].map(([word]) => ({
      word: word.toLowerCase(),
      line: index + 1,
    })),
  );
}

/** `lookUp` becomes `look up`, and `dns_witness` `dns witness`. */
function takeApart(line: string): string {
  return line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/_/g, ' ');
}
