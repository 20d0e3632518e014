import { isEppStatus } from '../domain/lifecycle/epp-status.js';
import type { ParsedResponse } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { isObject, type Json, parseJson } from '../rdap/rdap-json.js';
import { parseRdapResponse } from '../rdap/rdap-response-parser.js';
import { NOT_FOUND_WORDS } from '../answer-text/denial.js';
import { classifyField, parseField } from '../whois/whois-fields.js';
import { hasContent } from '../whois/whois-record.js';
import { parseWhoisResponse } from '../whois/whois-response-parser.js';
import { decodeBody } from '../whois/whois-text.js';
import { whoisRulesFor } from '../whois/whois-tld-rules.js';

/** A complete answer of a registry, as it was sent. */
export type RegistryReply =
  | { readonly protocol: 'whois'; readonly body: Buffer }
  | { readonly protocol: 'rdap'; readonly body: Buffer; readonly status: number; readonly mediaType: string };

/**
 * Removes personal data: masks letters and digits, except in the queried name and in words that the meaning depends on.
 * @returns null if this service would interpret the masked answer differently
 */
export function maskAnswer(name: DomainName, reply: RegistryReply): string | null {
  const meaning = readMeaning(name, reply);
  const hasSameMeaning = (body: string) => readMeaning(name, { ...reply, body: Buffer.from(body) }) === meaning;
  const json = reply.protocol === 'rdap' ? parseJson(reply.body).value : null;
  if (json !== null && json !== undefined) return maskJson(selectMembers(json, READ_MEMBERS), name, hasSameMeaning);
  const charset = reply.protocol === 'whois' ? whoisRulesFor(name.registry).charset : undefined;
  const lines = decodeBody(reply.body, charset).split(/(?<=\n)/);
  const words = lines.map((line) => findWordsOfLine(line, name));
  return maskWords(words, () => lines.map((line, at) => render(line, words[at] ?? [])).join(''), hasSameMeaning);
}

/**
 * Returns the meaning that masking must not change. Statuses outside EPP are left out: they are free texts, which could
 * contain a person's name.
 */
function readMeaning(name: DomainName, reply: RegistryReply): string {
  const parsed = interpret(name, reply);
  if (parsed.kind === 'failure') return parsed.rule;
  const { statuses, ...facts } = parsed.facts;
  return JSON.stringify([parsed.rule, facts, statuses.filter(isEppStatus)]);
}

function interpret(name: DomainName, reply: RegistryReply): ParsedResponse {
  if (reply.protocol === 'whois') return parseWhoisResponse(name, reply.body);
  return parseRdapResponse(name, { kind: 'reply', location: null, retryAfter: null, ...reply }, EPOCH);
}

/** The time at which answers are interpreted. It is fixed, so that the meanings before and after masking are equal. */
const EPOCH = new Date(0);

interface Members {
  readonly [member: string]: Members;
}

const NOTICE: Members = { title: {}, description: {} };
/** RDAP members that the parser reads, some only for their presence. */
const READ_MEMBERS: Members = {
  ...NOTICE,
  ...{ errorCode: {}, objectClassName: {}, ldhName: {}, unicodeName: {}, handle: {}, status: {}, rdapConformance: {} },
  events: { eventAction: {}, eventDate: {} },
  entities: { roles: {} },
  nameservers: { objectClassName: {} },
  secureDNS: { delegationSigned: {} },
  notices: NOTICE,
  remarks: NOTICE,
  redacted: { name: { type: {}, description: {} }, prePath: {} },
};
/** The largest number that masking keeps. A larger number could be a telephone number. */
const MAX_CODE = 999;

function selectMembers(value: Json, members: Members): Json {
  if (Array.isArray(value)) return value.map((each) => selectMembers(each, members));
  if (typeof value === 'number') return value >= 0 && value <= MAX_CODE ? Math.trunc(value) : 0;
  if (!isObject(value)) return value;
  const selected = Object.entries(members).filter(([member]) => Object.hasOwn(value, member));
  return Object.fromEntries(selected.map(([member, nested]) => [member, selectMembers(value[member], nested)]));
}

function maskJson(json: Json, name: DomainName, hasSameMeaning: (body: string) => boolean): string | null {
  const words: Word[][] = [];
  mapTexts(json, (text) => (words.push(findWords(text, name, () => true)), text));
  const toBody = () => {
    const rest = words.values();
    return JSON.stringify(mapTexts(json, (text) => render(text, rest.next().value ?? [])));
  };
  return maskWords(words, toBody, hasSameMeaning);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, mapTexts(each, change)]));
}

/** A run of letters and digits, or one character of a script without spaces. */
interface Word {
  readonly text: string;
  readonly at: number;
  isKept: boolean;
  /**
   * Whether the answer's meaning may depend on the word. If masking changes the meaning, only such words are restored.
   */
  readonly mayMatter: boolean;
}

const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]`;
const WORD = new RegExp(String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}\p{So}])+`, 'gu');
const COMMENT_MARK = /^[\s%#;*>]+/;

/**
 * Finds the words of a WHOIS line. The meaning never depends on unknown labels, nor on the values of contacts and name
 * servers.
 */
function findWordsOfLine(line: string, name: DomainName): Word[] {
  const field = parseField(line.replace(COMMENT_MARK, '').trim());
  if (!field) return findWords(line, name, () => true);
  const kind = classifyField({ ...field, block: 0 });
  const valueAt = field.value === '' ? line.length : line.lastIndexOf(field.value);
  const isContact = kind === 'holder' || kind === 'server';
  const words = findWords(line, name, (at) => (at < valueAt ? kind !== null : !isContact));
  for (const word of words) {
    if (word.at >= valueAt) word.isKept ||= isContact && !hasContent(field.value);
    else word.isKept ||= NOT_FOUND_WORDS.has(word.text.toLowerCase());
  }
  return words;
}

function findWords(text: string, name: DomainName, mayMatter: (at: number) => boolean): Word[] {
  const spelling = [name.ascii, name.unicode].map((each) => each.replaceAll('.', '\\.')).join('|');
  const spans = [...text.matchAll(new RegExp(spelling, 'giu'))].map((match) => [match.index, match[0].length] as const);
  const isInName = (at: number) => spans.some(([from, length]) => at >= from && at < from + length);
  const words = [...text.matchAll(WORD)].map((match): Word => {
    return { text: match[0], at: match.index, isKept: isInName(match.index), mayMatter: mayMatter(match.index) };
  });
  keepUsualPhrases(words);
  return words;
}

/** How many words of "not found" sentences must follow each other to be kept. Fewer words could be somebody's name. */
const MIN_PHRASE_WORDS = 3;

function keepUsualPhrases(words: readonly Word[]): void {
  let phrase: Word[] = [];
  for (const word of [...words, null]) {
    if (word && word.mayMatter && (word.isKept || NOT_FOUND_WORDS.has(word.text.toLowerCase()))) phrase.push(word);
    else {
      if (phrase.length >= MIN_PHRASE_WORDS) phrase.forEach((each) => (each.isKept = true));
      phrase = [];
    }
  }
}

function render(text: string, words: readonly Word[]): string {
  const rest = words.values();
  return text.replace(WORD, (word) => (rest.next().value?.isKept ? word : mask(word)));
}

function mask(word: string): string {
  return word.replace(/./gsu, (character) => (/\p{N}/u.test(character) ? '0' : /\p{Lu}/u.test(character) ? 'X' : 'x'));
}

/** Limits the work, because an answer may be crafted to take long. */
const MAX_READINGS = 2_000;
const MAX_WORDS = 10_000;

/** Masks as many words as possible without changing the meaning. Tries all words, then each half, and so on. */
function maskWords(
  words: readonly (readonly Word[])[],
  toBody: () => string,
  hasSameMeaning: (body: string) => boolean,
): string | null {
  if (hasSameMeaning(toBody())) return toBody();
  const doubtful = words.flat().filter(({ isKept, mayMatter }) => mayMatter && !isKept);
  if (doubtful.length > MAX_WORDS) return null;
  setKept(doubtful, true);
  if (!hasSameMeaning(toBody())) return null;
  let readings = 0;
  const maskPart = (part: readonly Word[]): void => {
    setKept(part, false);
    if (readings++ < MAX_READINGS && hasSameMeaning(toBody())) return;
    setKept(part, true);
    if (part.length === 1) return;
    const half = part.length >> 1;
    maskPart(part.slice(0, half));
    maskPart(part.slice(half));
  };
  maskPart(doubtful);
  return readings > MAX_READINGS ? null : toBody();
}

function setKept(words: readonly Word[], isKept: boolean): void {
  for (const word of words) word.isKept = isKept;
}
