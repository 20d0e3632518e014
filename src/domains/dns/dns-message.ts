import { randomInt } from 'node:crypto';
import { type Answer, decode, type DecodedPacket, encode } from 'dns-packet';
import { MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import { toPrintable } from '../answer-text/printable.js';
import { type DsRecord, normalizeDsRecord } from '../domain/record/registration-record.js';

/** A query without recursion (RFC 1035). */
export interface DnsQuery {
  /** The domain name without trailing dot. */
  readonly name: string;
  readonly id: number;
  readonly bytes: Buffer;
}

/**
 * `undelegated`: the parent zone has the name, but no name servers. `not_delegated`: the zone does not have the name.
 */
type Delegation = 'delegated' | 'undelegated' | 'not_delegated' | 'inconclusive';

/** The meaning of one answer and the id of the rule that decided. */
export interface DnsAnswer {
  readonly kind: 'answer';
  readonly delegation: Delegation;
  readonly rule: string;
  readonly excerpt: string;
  /** The name servers of the delegation, sorted. */
  readonly nameServers: readonly string[];
}

/** A `foreign` message is no readable answer to the query. A `truncated` answer must be fetched over TCP. */
export type NoDnsAnswer = { readonly kind: 'foreign' } | { readonly kind: 'truncated' };
export type DnsMessage = DnsAnswer | NoDnsAnswer;

/** Longer messages are rejected, because 64 KiB of compression pointers would take half a second to decode. */
export const MAX_MESSAGE_BYTES = 8_192;
const HEADER_BYTES = 12;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const REFUSED = 5;

/** Uses a random id, so that attackers who cannot see the query cannot forge an answer. */
export function buildQuery(name: string, type: 'NS' | 'DS'): DnsQuery {
  const id = randomInt(65_536);
  return { name, id, bytes: encode({ type: 'query', id, flags: 0, questions: [{ type, class: 'IN', name }] }) };
}

/**
 * @param isParent whether the administrator configured the server as authoritative; other servers can deny a name only
 * with the AA flag
 */
export function parseMessage(bytes: Buffer, query: DnsQuery, isParent: boolean): DnsMessage {
  const packet = readPacket(bytes, query);
  return 'kind' in packet ? packet : classifyPacket(packet, rcodeOf(packet), query.name, isParent);
}

function readPacket(bytes: Buffer, query: DnsQuery): DecodedPacket | NoDnsAnswer {
  if (!isReplyTo(bytes, query) || bytes.length > MAX_MESSAGE_BYTES) return { kind: 'foreign' };
  const packet = tryDecode(bytes);
  if (!packet) return { kind: 'foreign' };
  const code = rcodeOf(packet);
  if (!packet.questions?.length && (code === NO_ERROR || code === NAME_ERROR)) return { kind: 'foreign' };
  return packet.flag_tc ? { kind: 'truncated' } : packet;
}

function rcodeOf({ flags = 0 }: DecodedPacket): number {
  return flags & 0xf;
}

/** Compares without decoding, so that a flood of forged packets costs little. */
function isReplyTo(bytes: Buffer, { id, bytes: queryBytes }: DnsQuery): boolean {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return false;
  const isAnswer = ((bytes[2] ?? 0) & 0x80) !== 0;
  const count = bytes.readUInt16BE(4);
  if (!isAnswer || count > 1) return false;
  return (
    // a refusing server may omit the question (RFC 1035 §4.1.1 FORMERR)
    count === 0 ||
    foldCase(bytes.subarray(HEADER_BYTES, queryBytes.length)) === foldCase(queryBytes.subarray(HEADER_BYTES))
  );
}

/** Lowers the case of DNS names (RFC 4343). Length bytes stay unchanged, because they are smaller than any letter. */
function foldCase(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

function tryDecode(bytes: Buffer): DecodedPacket | null {
  try {
    return decode(bytes);
  } catch {
    return null; // unreadable bytes are no answer
  }
}

function classifyPacket(packet: DecodedPacket, code: number, name: string, isParent: boolean): DnsAnswer {
  const { answers = [], authorities = [] } = packet;
  const nameServers = [...answers, ...authorities].flatMap((record) => nameServersIn(record, name)).sort();
  const isAuthoritative = packet.flag_aa || isParent;
  const answer = (delegation: Delegation, rule: string) =>
    toAnswer(delegation, rule, dnsExcerpt(packet, code), delegation === 'delegated' ? nameServers : []);
  if (code !== NO_ERROR && code !== NAME_ERROR) return answer('inconclusive', failureRule(code));
  if (nameServers.length > 0)
    return code === NO_ERROR ? answer('delegated', 'dns.delegated') : answer('inconclusive', 'dns.contradiction');
  if (!isAuthoritative) return answer('inconclusive', 'dns.not_authoritative');
  if (code === NAME_ERROR) return answer('not_delegated', 'dns.nxdomain');
  if (answers.length > 0) return answer('undelegated', 'dns.other_records');
  return !packet.flag_aa && isReferral(authorities)
    ? answer('inconclusive', 'dns.other_referral')
    : answer('undelegated', 'dns.no_delegation');
}

function failureRule(code: number): string {
  if (code === SERVER_FAILURE) return 'dns.servfail';
  return code === REFUSED ? 'dns.refused' : `dns.rcode_${code}`;
}

function toAnswer(delegation: Delegation, rule: string, excerpt: string, nameServers: string[] = []): DnsAnswer {
  return { kind: 'answer', delegation, rule, excerpt, nameServers };
}

function nameServersIn(record: Answer, owner: string): string[] {
  return record.type === 'NS' && isName(record.name, owner) ? [record.data.toLowerCase()] : [];
}

/** Whether the answer only refers to other servers, by NS records without a SOA. */
function isReferral(authorities: readonly Answer[]): boolean {
  const has = (type: string) => authorities.some((record) => record.type === type);
  return has('NS') && !has('SOA');
}

/** Compares DNS names, which are case-insensitive (RFC 4343). */
function isName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase();
}

function dnsExcerpt({ answers = [], authorities = [], flag_aa }: DecodedPacket, code: number): string {
  const records = [...answers, ...authorities].slice(0, 12).map(formatRecord);
  const head = `rcode ${code}${flag_aa ? ', authoritative' : ''}`;
  return toPrintable([head, ...records].join('; ').slice(0, MAX_EXCERPT_LENGTH));
}

function formatRecord(record: Answer): string {
  const target = record.type === 'NS' ? ` ${record.data}` : '';
  return `${record.name} ${record.type}${target}`;
}

/** The DS records that a parent zone has for a name (RFC 4035 §2.4). */
export interface DsAnswer {
  readonly kind: 'answer';
  /** Empty if the name has no DS records; null if the answer does not say. */
  readonly ds: readonly DsRecord[] | null;
  readonly rule: string;
  readonly excerpt: string;
}

/** @param isParent whether the server is configured as authoritative for the parent zone, as in {@link parseMessage} */
export function parseDsMessage(bytes: Buffer, query: DnsQuery, isParent: boolean): DsAnswer | NoDnsAnswer {
  const packet = readPacket(bytes, query);
  if ('kind' in packet) return packet;
  const code = rcodeOf(packet);
  const answer = (ds: readonly DsRecord[] | null, rule: string): DsAnswer => ({
    kind: 'answer',
    ds,
    rule,
    excerpt: dnsExcerpt(packet, code),
  });
  if (code !== NO_ERROR && code !== NAME_ERROR) return answer(null, failureRule(code));
  if (!packet.flag_aa && !isParent) return answer(null, 'dns.not_authoritative');
  const records = (packet.answers ?? []).flatMap((record) => dsRecordOf(record, query.name));
  if (records.length > 0 && code !== NO_ERROR) return answer(null, 'dns.contradiction');
  // A list without its unreadable records would look complete.
  if (!records.every((record) => record !== null)) return answer(null, 'dns.ds_unreadable');
  if (records.length > 0) return answer(records, 'dns.ds');
  if (code === NAME_ERROR) return answer([], 'dns.nxdomain');
  // A server without DS support refers to the name's own servers, which does not mean "no DS records".
  const knowsNone = (packet.answers ?? []).length === 0 && !isReferral(packet.authorities ?? []);
  return knowsNone ? answer([], 'dns.no_ds') : answer(null, 'dns.other_referral');
}

function dsRecordOf(record: Answer, owner: string): (DsRecord | null)[] {
  if (record.type !== 'DS' || !isName(record.name, owner)) return [];
  const { keyTag, algorithm, digestType, digest } = record.data;
  return [normalizeDsRecord({ keyTag, algorithm, digestType, digest: digest.toString('hex') })];
}
