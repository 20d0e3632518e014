import type { DomainName } from '../../domain/domain-name.js';
import { DAY } from '../../../kernel/clock.js';
import { eppStatus } from '../../domain/epp-status.js';
import { type DateOrder, orderIn, whoisDate } from './whois-date.js';
import type { WhoisField } from './whois-fields.js';
import type { WhoisRegistry } from './whois-registries.js';
import type { Statement } from './whois-statement.js';

/** What an answer holds about a name, before anybody judges it. */
export interface WhoisRecord {
  /** Whose record it is: this name's, another one's, or it does not say. */
  readonly about: 'asked' | 'other' | 'unnamed';
  /** How many kinds of facts it has that only a registration has. */
  readonly strength: number;
  readonly statuses: readonly string[];
  readonly registeredAt: Date | null;
  readonly expiresAt: Date | null;
  /** The fields used, for evidence. */
  readonly used: readonly WhoisField[];
}

const DOMAIN =
  /^(?:complete |ascii |full )?(?:domain|domain ?name|domainname|domain name (?:ace|utf8|idn)|domain name ascii|nombre de dominio|nombre del dominio|dominio|nom de domaine|domaine|domena|doména|alan adi|ドメイン名|도메인이름|域名|dominio de internet|query|object)$/;
const STATUS =
  /^(?:domain |registration |registry |query )?(?:status|state|stat)$|^(?:eppstatus|epp status|holdstatus|estatus|estado|estatus del dominio|estado del dominio|statut|stav|staða|durum|状態|domain state|current status|status flags?|registrar status|lifecycle)$/;
const EXPIRY =
  /^(?:(?:registry |domain |record |registration |license |licence |domain name |domain record )?(?:expir(?:y|es|e|ed|ation)(?: (?:date|on|at|time))?|renewal date|valid date|valid until|valid to|validity|paid[ -]till|paid until|renew(?: by| date)|expires date|validity date|exp date|valid till|registered until|renewal|bill until)|record will expire on|registry expiry date|expires? ?\((?:jj|dd|yyyy).*|expire jj\/mm\/aaaa|expires? (?:jj|dd|yyyy)\/mm\/\w+|expiry date (?:dd|yyyy).*|date d ?['’]? ?expiration|expire le|fecha de (?:vencimiento|expiraci[oó]n|expiracion|corte)|vencimiento|expiraci[oó]n|data de expira[cç][aã]o(?:.*)|expira[cç][aã]o|scadenza|ablaufdatum|gültig bis|有効期限|有効限|到期时间|过期时间|만료일|срок|expiration date dd\/mm\/yyyy|record expires on|record expired|domain expires|expires at|free date expire)$/;
const REGISTRAR_EXPIRY = /^registrar registration expiration date$|^registrar expir/;
const CREATED =
  /^(?:(?:domain |record |registry |original |first |domain name |domain record )?(?:creat(?:ed|ion)(?: (?:date|on|at|time))?|registered(?: (?:date|on|at|since))?|registration (?:date|time)|activat(?:ed|ion)(?: date)?|commencement date|create date|record created(?: on)?)|created jj\/mm\/aaaa|fecha de (?:registro|creaci[oó]n|creacion|alta|activacion)|date de cr[eé]ation|data de (?:registo|cria[cç][aã]o)(?:.*)|date registered|first registration date|record created|登録年月日|注册时间|등록일|registered on|delegated|assigned|acivated|since)$/;
const HOLDER =
  /^(?:registrar|sponsoring registrar(?: .*)?|registrar(?: (?:name|id|handle|organi[sz]ation|iana id|url|whois server))|current registar|registrant(?: .*)?|registrant(?:-| )?(?:name|organi[sz]ation)|holder(?: .*)?|owner(?: .*)?|org|organi[sz]ation(?: name)?|admin(?: ?c| .*)?|tech(?: ?c| .*)?|billing(?: .*)?|administrative contact.*|technical contact.*|contacto? (?:admin|t[eé]c).*|titular|registered (?:by|name)|mnt by|person|zone c|administrador|登録者名|organization using domain name|department name|domain holder|holder of domain name|service provider|provider|registry domain id|domain id|roid|client name|userid|contact(?: name| id)?|titulaire|bureau .*|domain owner.*)$/;
const SERVER =
  /^(?:name ?servers?(?: .*)?|nservers?|nserver|ns ?\d?|dns(?: ?servers?)?|host ?name|domain (?:name ?)?servers?.*|domain nameservers|primary (?:server|ns)|secondary (?:server|ns)|hostname|host|servidor(?:es)?.*|serveurs? .*|nameserver.*|ネームサーバ|dns servers|ns list)$/;
/** `Record expires on 2024-01-15`, without any colon. */
const SENTENCE =
  /^(?:record|domain)?\s?((?:will )?expires?|(?:was )?created|registered) (?:on|at|until)?:?\s*(\S.*\d.*)$/i;
/** In an address it is a place. */
const STATE_OF_A_NAME =
  /\b(?:registered|active|delegated|reserved|connected|deactivated|free|available|system|blocked|hold|suspended|deleted|expired|published|ok)\b/;

export function recordOf(
  fields: readonly WhoisField[],
  statements: readonly Statement[],
  name: DomainName,
  registry: WhoisRegistry,
): WhoisRecord {
  const order = orderIn(statements.map(({ text }) => text)) ?? registry.dateOrder;
  const spoken = statements.flatMap(({ text }) => spokenField(text));
  const all = [...fields, ...spoken];
  const valued = all.filter(({ value }) => isTold(value));
  const named = valued.filter(({ label, value }) => DOMAIN.test(label) && nameIn(value) !== '');
  const block = named.find(({ value }) => name.isSpelt(nameIn(value)))?.block;
  const stated = statusFields(valued, block);
  const expiry =
    firstDate(valued, (label) => EXPIRY.test(label), order) ??
    firstDate(valued, (label) => REGISTRAR_EXPIRY.test(label), order);
  const created = firstDate(valued, (label) => CREATED.test(label), order);
  const holder = valued.find(({ label, value }) => HOLDER.test(label) && /\p{L}/u.test(value));
  const server = valued.find(({ label, value }) => SERVER.test(label) && /[\p{L}\d-]+\.[\p{L}\d-]+/u.test(value));
  return {
    about: aboutOf(named, name, statements),
    strength: [expiry, created, holder, server].filter((fact) => fact !== undefined).length,
    statuses: [...new Set(stated.flatMap(({ value }) => statusesIn(value)))],
    registeredAt: created?.date ?? null,
    expiresAt: expiry?.date ?? null,
    used: [
      ...named.slice(0, 1),
      ...stated.slice(0, 8),
      ...[created, expiry].flatMap((dated) => (dated ? [dated.field] : [])),
    ],
  };
}

/** Labels with nothing behind them, and words that stand for nothing. */
function isTold(value: string): boolean {
  return value !== '' && !/^(?:n\/?a|null|none|-+|\.+|not (?:set|available|applicable))$/i.test(value);
}

function spokenField(text: string): WhoisField[] {
  const [, verb, value] = SENTENCE.exec(text) ?? [];
  if (verb === undefined || value === undefined) return [];
  return [{ label: /expire/i.test(verb) ? 'expires' : 'created', value, block: -1 }];
}

function nameIn(value: string): string {
  return (/^[^\s(,;[]+/.exec(value)?.[0] ?? '').replace(/^["']|["'.]+$/g, '');
}

function aboutOf(
  named: readonly WhoisField[],
  name: DomainName,
  statements: readonly Statement[],
): WhoisRecord['about'] {
  const label = name.ascii.slice(0, name.ascii.lastIndexOf('.'));
  const names = named.map(({ value }) => nameIn(value));
  if (names.some((each) => name.isSpelt(each) || each.toLowerCase() === label)) return 'asked';
  if (names.some((each) => each.includes('.'))) return 'other';
  return statements.some(({ words }) => isMention(words)) ? 'asked' : 'unnamed';
}

/** `Information about @`, or the name on a line of its own. */
function isMention(words: string): boolean {
  const tokens = words.split(' ');
  return tokens.length <= 6 && tokens.includes('@');
}

/** Contacts and hosts have statuses of their own; the name's stand with the name where blank lines part the objects. */
function statusFields(fields: readonly WhoisField[], block: number | undefined): readonly WhoisField[] {
  const all = fields.filter(
    ({ label, value }) =>
      STATUS.test(label) && (!/^state$|state$/.test(label) || STATE_OF_A_NAME.test(value.toLowerCase())),
  );
  const own = all.filter((field) => field.block === block);
  return own.length > 0 ? own : all;
}

/** `ok / autoRenewPeriod`, `a, b`, `220 Available`, `ok - Normal state.`, `serverHold (by court order)`. */
function statusesIn(value: string): string[] {
  return value
    .replace(/https?:\S*/g, '')
    .replace(/\([^)]*\)?/g, '')
    .split(/\s\/\s|,|;|\s-\s.*$|\s-$/)
    .map((part) => eppStatus(part.trim().slice(0, 100)))
    .map((status) => SYNONYMS.get(status.replace(/[\s_-]/g, '')) ?? status)
    .filter((status) => status !== '');
}

/** Spellings of RFC 3915's periods beyond EPP's own, seen at several registries. */
const SYNONYMS = new Map([
  ['autorenewgrace', 'auto renew period'],
  ['autorenewgraceperiod', 'auto renew period'],
  ['redemption', 'redemption period'],
  ['redemptiongraceperiod', 'redemption period'],
  ['pendingdeleterestorable', 'redemption period'],
  ['pendingdeletescheduledforrelease', 'pending delete'],
  ['pendingdeletion', 'pending delete'],
  ['pendingpurge', 'pending delete'],
  ['hold', 'server hold'],
  ['deleteprohibited', 'server delete prohibited'],
  ['transferprohibited', 'server transfer prohibited'],
  ['updateprohibited', 'server update prohibited'],
  ['renewprohibited', 'server renew prohibited'],
]);

/** The first; where the same day is told again with its time, that one. */
function firstDate(fields: readonly WhoisField[], isWanted: (label: string) => boolean, order: DateOrder) {
  const dated = fields.flatMap((field) => {
    const date = isWanted(field.label) ? whoisDate(field.value, order) : null;
    return date ? [{ field, date }] : [];
  });
  const [first] = dated;
  const isSameDay = ({ date }: { date: Date }) =>
    first && !isMidnight(date) && Math.abs(date.getTime() - first.date.getTime()) < DAY;
  return first && isMidnight(first.date) ? (dated.find(isSameDay) ?? first) : first;
}

function isMidnight(date: Date): boolean {
  return date.getTime() % DAY === 0;
}
