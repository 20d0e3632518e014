import { randomInt } from 'node:crypto';
import { type Answer, decode, type DecodedPacket, encode } from 'dns-packet';
import type { Delegation } from '../../domain/look.js';
import { printable } from '../rdap-json.js';

/** Who has the name? (RFC 1035, question NS, no recursion desired.) */
export interface DnsQuestion {
  /** Without a trailing dot. */
  readonly name: string;
  readonly id: number;
  readonly bytes: Buffer;
}

/** What one answer means, and the id of the rule that says so. */
export interface DnsReading {
  readonly kind: 'reading';
  readonly delegation: Delegation;
  readonly rule: string;
  readonly excerpt: string;
  /** Those of the delegation, in order of their names. */
  readonly nameServers: readonly string[];
}

/** `foreign` bytes answer another question or none, or cannot be read; a `truncated` answer is whole over TCP only. */
export type DnsMessage = DnsReading | { readonly kind: 'foreign' } | { readonly kind: 'truncated' };

/** A delegation takes some hundred bytes; in 64 KiB names could point at names for half a second. */
export const MESSAGE_LIMIT = 8_192;
const HEADER = 12;
const EXCERPT_LIMIT = 500;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const REFUSED = 5;

/** The id is random: who cannot see the question cannot answer it. */
export function questionAbout(name: string): DnsQuestion {
  const id = randomInt(65_536);
  return { name, id, bytes: encode({ type: 'query', id, flags: 0, questions: [{ type: 'NS', class: 'IN', name }] }) };
}

/**
 * Reads any bytes as an answer to this question.
 * @param isParent whether the server speaks for the parent zone by configuration; others must mark themselves so.
 */
export function readMessage(bytes: Buffer, question: DnsQuestion, isParent: boolean): DnsMessage {
  if (!answers(bytes, question) || bytes.length > MESSAGE_LIMIT) return { kind: 'foreign' };
  const packet = decoded(bytes);
  if (!packet) return { kind: 'foreign' };
  const code = (packet.flags ?? 0) & 0xf;
  if (!packet.questions?.length && (code === NO_ERROR || code === NAME_ERROR)) return { kind: 'foreign' };
  return packet.flag_tc ? { kind: 'truncated' } : readPacket(packet, code, question.name, isParent);
}

/**
 * Whether it is an answer that repeats our id and question, judged by its bytes: a flood of others costs next to
 * nothing. A server that refuses may leave the question out (RFC 1035 §4.1.1 FORMERR).
 */
function answers(bytes: Buffer, { id, bytes: asked }: DnsQuestion): boolean {
  if (bytes.length < HEADER || bytes.readUInt16BE(0) !== id) return false;
  const isAnswer = ((bytes[2] ?? 0) & 0x80) !== 0;
  const count = bytes.readUInt16BE(4);
  if (!isAnswer || count > 1) return false;
  return count === 0 || foldedCase(bytes.subarray(HEADER, asked.length)) === foldedCase(asked.subarray(HEADER));
}

/** DNS compares without regard to case (RFC 4343); lengths of labels are below the letters. */
function foldedCase(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

function decoded(bytes: Buffer): DecodedPacket | null {
  try {
    return decode(bytes);
  } catch {
    return null; // The caller makes a coded outcome of it; where the parser stumbled is of no use to anybody.
  }
}

function readPacket(packet: DecodedPacket, code: number, name: string, isParent: boolean): DnsReading {
  const { answers = [], authorities = [] } = packet;
  const nameServers = [...answers, ...authorities].flatMap((record) => nameServerOf(record, name)).sort();
  const speaks = packet.flag_aa || isParent;
  const says = (delegation: Delegation, rule: string) =>
    reading(delegation, rule, excerptOf(packet, code), delegation === 'delegated' ? nameServers : []);
  if (code === SERVER_FAILURE) return says('inconclusive', 'dns.servfail');
  if (code === REFUSED) return says('inconclusive', 'dns.refused');
  if (code !== NO_ERROR && code !== NAME_ERROR) return says('inconclusive', `dns.rcode_${code}`);
  if (nameServers.length > 0)
    return code === NO_ERROR ? says('delegated', 'dns.delegated') : says('inconclusive', 'dns.contradiction');
  if (!speaks) return says('inconclusive', 'dns.not_authoritative');
  if (code === NAME_ERROR) return says('not_delegated', 'dns.nxdomain');
  if (answers.length > 0) return says('inconclusive', 'dns.other_records');
  return !packet.flag_aa && refersElsewhere(authorities)
    ? says('inconclusive', 'dns.other_referral')
    : says('not_delegated', 'dns.no_delegation');
}

function reading(delegation: Delegation, rule: string, excerpt: string, nameServers: string[] = []): DnsReading {
  return { kind: 'reading', delegation, rule, excerpt, nameServers };
}

function nameServerOf(record: Answer, owner: string): string[] {
  return record.type === 'NS' && isName(record.name, owner) ? [record.data.toLowerCase()] : [];
}

/** Name servers of some other zone and no SOA: what a server says that knows neither the name nor its parent. */
function refersElsewhere(authorities: readonly Answer[]): boolean {
  const has = (type: string) => authorities.some((record) => record.type === type);
  return has('NS') && !has('SOA');
}

/** DNS compares without regard to case (RFC 4343). */
function isName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase();
}

function excerptOf({ answers = [], authorities = [], flag_aa }: DecodedPacket, code: number): string {
  const records = [...answers, ...authorities].slice(0, 12).map(recordText);
  const head = `rcode ${code}${flag_aa ? ', authoritative' : ''}`;
  return printable([head, ...records].join('; ').slice(0, EXCERPT_LIMIT));
}

/** The owner, the type and the server's name; no other content of a record is of interest. */
function recordText(record: Answer): string {
  const target = record.type === 'NS' ? ` ${record.data}` : '';
  return `${record.name} ${record.type}${target}`;
}
