import type { WhoisLine } from './whois-text.js';

export interface WhoisField {
  /** In lower case, with one space between words and without dots, brackets or numbering. */
  readonly label: string;
  readonly value: string;
  /** The index of the block of lines. Blank lines separate blocks. */
  readonly block: number;
}

/** Matches `a. [Domain Name]   NAME` (JPRS, MYNIC). */
const BRACKETS = /^(?:[a-z0-9]{1,2}\.?\s+)?\[([^\]]{2,60})\]\s*(.*)$/i;
/** Matches `Label: value`, `label......: value` and `1a.  Label : value`. */
const COLON = /^(?:\d{1,2}[a-z]?\.\s+)?([\p{L}\d][^:：]{0,60}?)[\s.]*[:：][\s.]*(.*)$/u;
/** Matches `Label.....# value`. */
const HASH = /^(\p{L}[^#.]{1,60}?)\s*\.{3,}\s*#\s*(.*)$/u;
/** Matches `Label      value` in columns without a colon. */
const COLUMNS = /^(\p{L}[\p{L} _-]{2,40}?)\s{4,}(\S.*)$/u;
/** Matches `domain:Domain-Name;I:value`, the attributes of RFC 2167. */
const RWHOIS = /^domain:([A-Z][A-Za-z-]+)(?:;I)?:/;
const MAX_LABEL_WORDS = 7;
/** The maximum number of values below a label that stands on its own line. */
export const MAX_LINES_BELOW = 12;

/** The values of a label on its own line are the lines below, up to a blank line or label. */
export function parseFields(lines: readonly WhoisLine[]): WhoisField[] {
  const fields: WhoisField[] = [];
  let block = 0;
  for (const [at, line] of lines.entries()) {
    if (line.text === '') block++;
    if (line.text === '' || line.isComment) continue;
    const field = parseField(line.text);
    if (!field) continue;
    const values = field.value === '' ? linesBelow(lines, at) : [field.value];
    for (const value of values) fields.push({ label: field.label, value, block });
  }
  return fields;
}

export function parseField(line: string): { readonly label: string; readonly value: string } | null {
  const text = line.startsWith('domain:') ? line.replace(RWHOIS, '$1: ') : line;
  const [, label, value] = BRACKETS.exec(text) ?? matchDotted(text) ?? matchColumns(text) ?? COLON.exec(text) ?? [];
  if (label === undefined || value === undefined) return null;
  const plain = normalizeLabel(label);
  if (plain === '' || plain.split(' ').length > MAX_LABEL_WORDS || /https?$/.test(plain)) return null;
  return { label: plain, value: value.trim().replace(/^"(.*)"$/, '$1') };
}

/** Tries the slow pattern only for lines with `#`, which are rare. */
function matchDotted(text: string): RegExpExecArray | null {
  return text.includes('#') ? HASH.exec(text) : null;
}

/** Ignores lines such as `Label      : value`, which the pattern with a colon matches. */
function matchColumns(text: string): RegExpExecArray | null {
  const columns = COLUMNS.exec(text);
  return columns && !/^[:：]/.test(columns[2] ?? '') ? columns : null;
}

function normalizeLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[[\]().*"_\s-]+/g, ' ')
    .trim();
}

function linesBelow(lines: readonly WhoisLine[], at: number): string[] {
  const values: string[] = [];
  for (const { text, isComment } of lines.slice(at + 1, at + 1 + MAX_LINES_BELOW)) {
    if (text === '' || isComment || /[:：]\s*$|[:：]\s/.test(text) || BRACKETS.test(text)) break;
    values.push(text);
  }
  return values;
}

/** Matches a sentence with a date, such as `Record expires on 2024-01-15`. */
const DATE_SENTENCE =
  /^(?:record|domain)?\s?((?:will )?expires?|(?:was )?created|registered) (?:on|at|until)?:?\s*(\S.*\d.*)$/i;

export function parseInlineField(text: string): WhoisField[] {
  const [, verb, value] = DATE_SENTENCE.exec(text) ?? [];
  if (verb === undefined || value === undefined) return [];
  return [{ label: /expire/i.test(verb) ? 'expires' : 'created', value, block: -1 }];
}

/** Matches `OK-UNTIL 20140903121852`, a status of .ua that contains the expiry date. */
const UNTIL = /\buntil:?\s+(\d.*)$/i;

/** @param ofRegistry the TLD's pattern for a date within a status; its group is the date */
export function expiryInStatus({ value, block }: WhoisField, ofRegistry: RegExp = UNTIL): WhoisField[] {
  const date = ofRegistry.exec(value)?.[1];
  return date === undefined ? [] : [{ label: 'expires', value: date, block }];
}

/** The kind of a WHOIS field; null if the field does not affect the name's status. */
export type FieldKind =
  'domain' | 'status' | 'expiry' | 'renewal' | 'registrar expiry' | 'creation' | 'holder' | 'server' | null;

const labelSet = (words: string) => new Set(words.split(/\s*[|\n]\s*/));

const DOMAIN_LABELS = labelSet(
  `domain|domain name|domainname|complete domain name|ascii domain name|full domain name|domain name ace|domain name utf8
   |domain name idn|domain name ascii|nombre de dominio|nombre del dominio|dominio|nome de domínio|nome do domínio
   |nom de domaine|domaine|domena|doména|doména|alan adi|alan adı|ドメイン名|도메인이름|域名|query|object`,
);
const STATUS_LABELS = labelSet(
  `status|state|stat|domain status|registration status|registry status|query status|domain state|domain stat|eppstatus
   |epp status|holdstatus|current status|status flag|status flags|lifecycle|estatus|estado|estatus del dominio
   |estado del dominio|statut|stav|stan|staða|durum|durumu|状態|상태|域名状态`,
);
/** Words for the state of a domain. A field `state` without any of these words is part of an address. */
const DOMAIN_STATE =
  /\b(?:registered|active|delegated|reserved|connected|deactivated|free|available|system|blocked|hold|suspended|deleted|expired|published|ok)\b/;

const EXPIRY_LABEL =
  /(?:^|\s)(?:expir\w*|exp(?= date)|paid[ -]?till|paid until|paid thru|valid(?:ity)?(?: date| until| to| till| thru)?|registered until|(?:date)?bill(?:ed)? ?until|vencimiento|caduc\w*|vencimento|scadenza|ablauf\w*|g[uü]ltig bis|d ?'? ?expiration|échéance|有効期限|有効限|到期时间|到期日期|过期时间|만료일|срок)(?:\s|$)/u;
/** A renewal date counts only without an expiry date, because .th states a renewal date in the past. */
const RENEWAL_LABEL = /(?:^|\s)(?:renew(?:al)?(?: by| on)?|renewal date)(?:\s|$)/;
const REGISTRAR_EXPIRY = /^registrar (?:registration )?expir/;
const CREATION_LABEL =
  /(?:^|\s)(?:creat(?:ed|ion)|registered|registration date|registration time|registr?ation|activated|activation|acivated|commencement|delegated|assigned|registro|registo|creaci[oó]n|cria[cç][aã]o|alta|activacion|cr[eé]ation|登録年月日|注册时间|注册日期|등록일)(?:\s|$)/u;
/** A date whose label has one of these words is neither the expiry nor the creation of the name. */
const OTHER_DATE =
  /\b(?:registrar|registrant|owner|admin\w*|tech\w*|billing|contact|holder|trademark|redemption|last|updated?|changed|modified|renewed|transfer\w*|lock\w*|option|key|signature|cert\w*|status|id|no|number|by|type|service|deadline)\b/;

const HOLDER_LABEL =
  /^(?:registrar|sponsoring registrar|current registar|registrant|holder|owner|admin|tech|billing|administrative|technical|titular|titulaire|bureau|domain owner|domain holder|domain managers?)(?: \S+){0,3}$/;
const HOLDER_LABELS = labelSet(
  `org|organization|organisation|organization name|organisation name|registered by|registered name|mnt by|mntnr|person|zone c
   |administrador|登録者名|登録者|organization using domain name|department name|service provider|provider|registry domain id
   |domain id|roid|client name|userid|contact|contact name|contacto administrativo|contacto tecnico|contacto técnico
   |注册者|等录人`,
);
const SERVER_LABEL =
  /^(?:(?:domain )?name ?servers?|nserver|nservers|ns|ns ?\d{1,2}|dns|dns ?servers?|dns name|host ?name|host|hostname|domain servers|domain nameservers|primary (?:server|ns)|secondary (?:server|ns)|servidor(?:es)?|serveurs?|ネームサーバ|ns list)(?: .{0,30})?$/;

export function classifyField({ label, value }: WhoisField): FieldKind {
  if (DOMAIN_LABELS.has(label)) return 'domain';
  if (STATUS_LABELS.has(label))
    return /^state$|^stan$/.test(label) && !DOMAIN_STATE.test(value.toLowerCase()) ? null : 'status';
  if (REGISTRAR_EXPIRY.test(label)) return 'registrar expiry';
  if (EXPIRY_LABEL.test(label) && !OTHER_DATE.test(label)) return 'expiry';
  if (RENEWAL_LABEL.test(label) && !OTHER_DATE.test(label)) return 'renewal';
  if (HOLDER_LABEL.test(label) || HOLDER_LABELS.has(label)) return 'holder';
  if (SERVER_LABEL.test(label)) return 'server';
  return CREATION_LABEL.test(label) && !OTHER_DATE.test(label) ? 'creation' : null;
}
