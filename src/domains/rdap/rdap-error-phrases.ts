import { saysNotFoundI18n } from '../answer-text/not-found-phrases.i18n.js';

const wordSet = (words: string) => new Set(words.split(/\s+/));

const CONDITIONAL =
  /\b(?:if|when|whenever|once|unless|should|must|might|could|shall|agree|may(?! not be registered)|by (?:using|accessing|submitting|querying)|subject to|governed by|in accordance with|provided (?:for|by|as|to)|for more information|we (?:process|collect|log|store|limit|reserve|use|may))\b/;
const ONE_NAME_SUBJECT =
  /@|\b(?:this|that|requested|queried|your|the) (?:domain|name|label|string)(?: name)?\b(?! (?:system|servers?)\b)/;
/** Words about many names, or about the use of data. */
const MANY_NAMES_SUBJECT =
  /\b(?:names|domains|labels|strings|codes|data|information|access|use|usage|users|quer(?:y|ies)|requests)\b|https?:|\bwww\./;
const RESERVED_SUBJECT =
  /^(?:domain|name|label|string|reserved|blocked|restricted|withheld|not available|unavailable)\b/;
/** Words that report an event, unlike general terms. */
const EVENT_WORDS = /\b(?:exceeded|denied|refused|failed|offline|busy|down|unavailable|banned|too many|timed? ?out)\b/;

/** Whether a sentence states general terms: a condition, or something about names and data in general. */
export function isGeneralTerms(sentence: string): boolean {
  if (CONDITIONAL.test(sentence)) return true;
  if (ONE_NAME_SUBJECT.test(sentence) || EVENT_WORDS.test(sentence)) return false;
  return (
    MANY_NAMES_SUBJECT.test(sentence) &&
    !(RESERVED_SUBJECT.test(sentence) && !/\b(?:names|domains|labels|strings) (?:are|can|will)\b/.test(sentence))
  );
}

const AUXILIARY = '(?:was|is|were|are|has|have|been|does|do|did|could|can)';
/** `… was not found`, `no … found`; the group is what was not found. */
const DENIAL_PATTERNS = [
  new RegExp(
    `^(.*?)\\b(?:${AUXILIARY} ?)*(?:(?:not|never)[_ -]?|n[’']t )(?:be |been )?(?:found|exist|existing|located|registered)`,
  ),
  /^((?:.*\b)?no(?:ne|thing)?\b.*?)\b(?:found|exists?|located|registered)\b/,
];
const UNKNOWN_WORDS = /\b(?:unknown|no such|non-?existent|missing)\b/;
/** What an RDAP server may call the missing domain. */
const OBJECT_WORDS = wordSet(
  '@ domain domains domainname name names object objects record records resource resources ressource entry entries match matches result results data information item items handle entity nothing none registration label',
);
const NEUTRAL_WORDS = wordSet(
  `the a an this that your our any no requested request queried query specified given following sorry unfortunately error errors
   http rdap whois 404 e404 status code message reason response you we have has asked for of with in to is was been which search lookup
   ldh ldhname fqdn idn not exact matching such it could can cannot did does do be and or by from currently there`,
);
/** A missing server, path or TLD, in languages that the patterns above do not cover. */
const SERVICE_NOT_FOUND_I18N =
  /conexi|conex[aã]o|connexion|verbindung|соединени|servi[dt]or|serveur|serwer|сервер|服务器|伺服器|サーバ|서버|datenbank|base de d|banco de dados|баз[аы] данных|数据库|\b(?:server|tld|zone|zona|mandant|route|pfad|seite|p[aá]gin[ae]|chemin|ruta)\b.{0,20}\b(?:nicht|niet|non|no|n[aã]o|ikke|inte|nie|introuvable|inconnue?|unbekannt|onbekend|sconosciuta?)(?!\p{L})/u;

/**
 * False when a sentence says that something else than the name is missing: `Tenant not found`, `Server not found`,
 * or another name.
 * @param sentence in lower case, with `@` for the queried name
 */
export function mayConcernName(sentence: string): boolean {
  if (SERVICE_NOT_FOUND_I18N.test(sentence)) return false;
  const denied = deniedSubject(sentence);
  if (denied === null) return true;
  const tokens = tokenize(denied);
  return (
    tokens.every(isNeutralToken) || (tokens.length > MANY_TOKENS && tokens.some((token) => OBJECT_WORDS.has(token)))
  );
}

/** Whether a sentence says that there is no such name, or no more than a status line does. */
export function deniesExistence(sentence: string): boolean {
  return (
    deniedSubject(sentence) !== null ||
    NO_RECORD.test(sentence) ||
    tokenize(sentence).every(isNeutralToken) ||
    saysNotFoundI18n(sentence)
  );
}

const NO_RECORD =
  /\bno (?:\S+ ){0,2}(?:data|information|records?|entr(?:y|ies)|objects?|match(?:es)?|results?|domains?|registration)\b|\b(?:available|free|vacant|unregistered)\b|\b(?:can ?not|could not|unable to) (?:find|locate)\b/;

/** What a sentence says is missing; null when it says nothing of the kind. */
function deniedSubject(sentence: string): string | null {
  const beginning = sentence.slice(0, MAX_DENIAL_POSITION);
  const [denial] = DENIAL_PATTERNS.flatMap((pattern) => pattern.exec(beginning) ?? []).slice(1);
  return denial ?? (UNKNOWN_WORDS.test(beginning) ? beginning.replace(UNKNOWN_WORDS, '') : null);
}

function tokenize(words: string): string[] {
  return words.split(/[^\p{L}\p{N}@.-]+/u).filter((token) => /[\p{L}@]/u.test(token));
}

function isNeutralToken(token: string): boolean {
  return NEUTRAL_WORDS.has(token) || OBJECT_WORDS.has(token);
}

/** Characters. A denial is at the front, and the patterns take quadratic time. */
const MAX_DENIAL_POSITION = 300;
/** More tokens make a sentence with clauses of its own. */
const MANY_TOKENS = 6;
