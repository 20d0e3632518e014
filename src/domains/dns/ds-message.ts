import type { Answer, DecodedPacket } from 'dns-packet';
import { type DsRecord, normalizeDsRecord } from '../domain/record/ds-record.js';
import {
  type DnsQuery,
  dnsExcerpt,
  failureRule,
  isName,
  isReferral,
  NAME_ERROR,
  NO_ERROR,
  type NoDnsAnswer,
  rcodeOf,
  readPacket,
} from './dns-message.js';

/** The DS records that a parent zone has of a name (RFC 4035 §2.4). */
export interface DsAnswer {
  readonly kind: 'answer';
  /** Empty: none. null: the answer says nothing about them. */
  readonly ds: readonly DsRecord[] | null;
  readonly rule: string;
  readonly excerpt: string;
}

/**
 * Parses untrusted bytes as the answer to this query.
 * @param isParent whether the server is configured as authoritative for the parent zone; others must set the AA flag
 */
export function parseDsMessage(bytes: Buffer, query: DnsQuery, isParent: boolean): DsAnswer | NoDnsAnswer {
  const packet = readPacket(bytes, query);
  if ('kind' in packet) return packet;
  const code = rcodeOf(packet);
  const answer = (ds: readonly DsRecord[] | null, rule: string): DsAnswer => ({
    ...{ kind: 'answer', ds, rule, excerpt: dnsExcerpt(packet, code) },
  });
  if (code !== NO_ERROR && code !== NAME_ERROR) return answer(null, failureRule(code));
  if (!packet.flag_aa && !isParent) return answer(null, 'dns.not_authoritative');
  const records = recordsIn(packet, query.name);
  if (records.length > 0) return code === NO_ERROR ? toSigned(records, answer) : answer(null, 'dns.contradiction');
  if (code === NAME_ERROR) return answer([], 'dns.nxdomain');
  // A server that knows no DS records refers to the name's own servers, where they are not.
  const knowsNone = (packet.answers ?? []).length === 0 && !isReferral(packet.authorities ?? []);
  return knowsNone ? answer([], 'dns.no_ds') : answer(null, 'dns.other_referral');
}

/** One that cannot be read makes all of them unknown. */
function toSigned(
  records: readonly (DsRecord | null)[],
  answer: (ds: readonly DsRecord[] | null, rule: string) => DsAnswer,
): DsAnswer {
  const readable = records.filter((record) => record !== null);
  return readable.length === records.length ? answer(readable, 'dns.ds') : answer(null, 'dns.ds_unreadable');
}

function recordsIn({ answers = [] }: DecodedPacket, owner: string): (DsRecord | null)[] {
  return answers.flatMap((record) => dsRecordOf(record, owner));
}

function dsRecordOf(record: Answer, owner: string): (DsRecord | null)[] {
  if (record.type !== 'DS' || !isName(record.name, owner)) return [];
  const { keyTag, algorithm, digestType, digest } = record.data;
  return [normalizeDsRecord({ keyTag, algorithm, digestType, digest: digest.toString('hex') })];
}
