import { randomInt } from 'node:crypto';
import { type Answer, decode, type DecodedPacket, encode } from 'dns-packet';
import type { Delegation } from '../../domain/lookup/lookup-result.js';
import { toPrintable } from '../rdap/rdap-json.js';

/** Who has the name? (RFC 1035, question NS, no recursion desired.) */
export interface DnsQuery {
  /** Without a trailing dot. */
  readonly name: string;
  readonly id: number;
  readonly bytes: Buffer;
}

/** What one answer means, and the id of the rule that says so. */
export interface DnsAnswer {
  readonly kind: 'answer';
  readonly delegation: Delegation;
  readonly rule: string;
  readonly excerpt: string;
  /** Those of the delegation, in order of their names. */
  readonly nameServers: readonly string[];
}

/** `foreign` bytes answer another question or none, or cannot be read; a `truncated` answer is whole over TCP only. */
export type DnsMessage = DnsAnswer | { readonly kind: 'foreign' } | { readonly kind: 'truncated' };

/** A delegation takes some hundred bytes; in 64 KiB names could point at names for half a second. */
export const MAX_MESSAGE_BYTES = 8_192;
const HEADER_BYTES = 12;
const MAX_EXCERPT_LENGTH = 500;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const REFUSED = 5;

/** The id is random: who cannot see the question cannot answer it. */
export function buildNsQuery(name: string): DnsQuery {
  const id = randomInt(65_536);
  return { name, id, bytes: encode({ type: 'query', id, flags: 0, questions: [{ type: 'NS', class: 'IN', name }] }) };
}

/**
 * Reads any bytes as an answer to this question.
 * @param isParent whether the server speaks for the parent zone by configuration; others must mark themselves so.
 */
export function parseMessage(bytes: Buffer, query: DnsQuery, isParent: boolean): DnsMessage {
  if (!isReplyTo(bytes, query) || bytes.length > MAX_MESSAGE_BYTES) return { kind: 'foreign' };
  const packet = tryDecode(bytes);
  if (!packet) return { kind: 'foreign' };
  const code = (packet.flags ?? 0) & 0xf;
  if (!packet.questions?.length && (code === NO_ERROR || code === NAME_ERROR)) return { kind: 'foreign' };
  return packet.flag_tc ? { kind: 'truncated' } : classifyPacket(packet, code, query.name, isParent);
}

/**
 * Whether it is an answer that repeats our id and question, judged by its bytes: a flood of others costs next to
 * nothing. A server that refuses may leave the question out (RFC 1035 §4.1.1 FORMERR).
 */
function isReplyTo(bytes: Buffer, { id, bytes: queryBytes }: DnsQuery): boolean {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return false;
  const isAnswer = ((bytes[2] ?? 0) & 0x80) !== 0;
  const count = bytes.readUInt16BE(4);
  if (!isAnswer || count > 1) return false;
  return (
    count === 0 ||
    foldCase(bytes.subarray(HEADER_BYTES, queryBytes.length)) === foldCase(queryBytes.subarray(HEADER_BYTES))
  );
}

/** DNS compares without regard to case (RFC 4343); lengths of labels are below the letters. */
function foldCase(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

function tryDecode(bytes: Buffer): DecodedPacket | null {
  try {
    return decode(bytes);
  } catch {
    return null; // The caller makes a coded outcome of it; where the parser stumbled is of no use to anybody.
  }
}

function classifyPacket(packet: DecodedPacket, code: number, name: string, isParent: boolean): DnsAnswer {
  const { answers = [], authorities = [] } = packet;
  const nameServers = [...answers, ...authorities].flatMap((record) => nameServersIn(record, name)).sort();
  const isAuthoritative = packet.flag_aa || isParent;
  const answer = (delegation: Delegation, rule: string) =>
    toAnswer(delegation, rule, dnsExcerpt(packet, code), delegation === 'delegated' ? nameServers : []);
  if (code === SERVER_FAILURE) return answer('inconclusive', 'dns.servfail');
  if (code === REFUSED) return answer('inconclusive', 'dns.refused');
  if (code !== NO_ERROR && code !== NAME_ERROR) return answer('inconclusive', `dns.rcode_${code}`);
  if (nameServers.length > 0)
    return code === NO_ERROR ? answer('delegated', 'dns.delegated') : answer('inconclusive', 'dns.contradiction');
  if (!isAuthoritative) return answer('inconclusive', 'dns.not_authoritative');
  if (code === NAME_ERROR) return answer('not_delegated', 'dns.nxdomain');
  if (answers.length > 0) return answer('inconclusive', 'dns.other_records');
  return !packet.flag_aa && isReferralElsewhere(authorities)
    ? answer('inconclusive', 'dns.other_referral')
    : answer('not_delegated', 'dns.no_delegation');
}

function toAnswer(delegation: Delegation, rule: string, excerpt: string, nameServers: string[] = []): DnsAnswer {
  return { kind: 'answer', delegation, rule, excerpt, nameServers };
}

function nameServersIn(record: Answer, owner: string): string[] {
  return record.type === 'NS' && isName(record.name, owner) ? [record.data.toLowerCase()] : [];
}

/** Name servers of some other zone and no SOA: what a server says that knows neither the name nor its parent. */
function isReferralElsewhere(authorities: readonly Answer[]): boolean {
  const has = (type: string) => authorities.some((record) => record.type === type);
  return has('NS') && !has('SOA');
}

/** DNS compares without regard to case (RFC 4343). */
function isName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase();
}

function dnsExcerpt({ answers = [], authorities = [], flag_aa }: DecodedPacket, code: number): string {
  const records = [...answers, ...authorities].slice(0, 12).map(formatRecord);
  const head = `rcode ${code}${flag_aa ? ', authoritative' : ''}`;
  return toPrintable([head, ...records].join('; ').slice(0, MAX_EXCERPT_LENGTH));
}

/** The owner, the type and the server's name; no other content of a record is of interest. */
function formatRecord(record: Answer): string {
  const target = record.type === 'NS' ? ` ${record.data}` : '';
  return `${record.name} ${record.type}${target}`;
}
