import { type DsRecord, parseDsRecord } from '../../domain/record/ds-record.js';
import { normalizeHostName } from '../../domain/record/host-name.js';
import { type RegistrationRecord, toRegistrationRecord } from '../../domain/record/registration-record.js';
import { type DateOrder, parseWhoisDate } from './whois-date.js';
import { MAX_LINES_BELOW, type WhoisField } from './whois-fields.js';

/** The fields of an answer that are read, those with content only. */
export interface RecordFields {
  readonly all: readonly WhoisField[];
  readonly servers: readonly WhoisField[];
  readonly statuses: readonly string[];
  readonly dateOrder: DateOrder | null;
}

/** The organization that the registry calls so; its other labels are those of contacts. */
const REGISTRAR_LABELS = [
  'registrar',
  'sponsoring registrar',
  'registrar name',
  'authorized agency',
  'current registar',
];
const REGISTRAR_ID_LABELS = ['registrar iana id', 'sponsoring registrar iana id'];
const DNSSEC_LABELS = ['dnssec', 'dnssec status'];
const DS_LABELS = [
  'dnssec ds data',
  'dnssec ds records',
  'ds rdata',
  'ds list',
  'dsrecord',
  'ds record',
  'ds data',
  'ds',
];
const TRANSFER_LABELS = [
  'last transferred date',
  'last transferred',
  'last transfer date',
  'last transfer',
  'transferred',
];
const READ = new Set([...[REGISTRAR_LABELS, REGISTRAR_ID_LABELS, DNSSEC_LABELS, DS_LABELS, TRANSFER_LABELS].flat()]);

/** `name server ip`, `name server handle`, AFNIC's id of a list: what is not the server's name. */
const ABOUT_SERVER = /\b(?:ipv?[46]?|address|handle|status|stat|id|sync|list|organi[sz]ation)\b/;
const UNSIGNED = /^(?:unsigned|not signed|no|n|inactive|disabled|false|off)(?=$|[\s,;(])/i;
/** Behind the registrar's name: its tag at Nominet, its web site. */
const AFTER_NAME = /\s*(?:\[Tag\s*=.*|\(?\s*https?:\/\/.*)$/i;
const NO_REGISTRAR = /^no registrar\b/i;

/** What a WHOIS answer says beside the facts. A label without content is unknown: some registries print all of them. */
export function parseWhoisRegistrationRecord({ all, servers, statuses, dateOrder }: RecordFields): RegistrationRecord {
  const byLabel = new Map<string, string[]>();
  for (const { label, value } of all) {
    if (!READ.has(label)) continue;
    const values = byLabel.get(label);
    if (values) values.push(value);
    else byLabel.set(label, [value]);
  }
  const find = (labels: readonly string[]) => labels.map((label) => byLabel.get(label)).find((values) => values) ?? [];
  const [name] = find(REGISTRAR_LABELS);
  const [transfer] = find(TRANSFER_LABELS);
  return toRegistrationRecord({
    nameservers: parseServers(servers),
    registrar: {
      name: name === undefined ? null : toRegistrarName(name),
      ianaId: find(REGISTRAR_ID_LABELS)[0] ?? null,
    },
    statuses,
    ds: parseDelegationSigners(find(DNSSEC_LABELS), find(DS_LABELS)),
    lastTransferAt: transfer ? parseWhoisDate(transfer, dateOrder) : null,
  });
}

/** Nominet says that there is none with a sentence. */
function toRegistrarName(value: string): string | null {
  return NO_REGISTRAR.test(value) ? null : detach(value.replace(AFTER_NAME, ''));
}

/**
 * One on each line or several on one, with or without addresses. The registry of .dk labels the name itself `DNS`,
 * where others have a server.
 */
function parseServers(fields: readonly WhoisField[]): readonly string[] | null {
  const known = fields.filter(({ label }) => !ABOUT_SERVER.test(label));
  const others = known.filter(({ label }) => label !== 'dns');
  const names = others.length > 0 ? others : known;
  if (names.length === 0 || isCut(names)) return null;
  const hosts = names.map(({ value }) => hostsIn(value));
  return hosts.every((each) => each !== null) && hosts.some(({ length }) => length > 0) ? hosts.flat() : null;
}

/** null: the line names none, and is not a line of addresses either. */
function hostsIn(value: string): readonly string[] | null {
  const tokens = value.split(/[\s,;()[\]]+/);
  const hosts = tokens.flatMap((token) => (token.includes('.') ? (normalizeHostName(token) ?? []) : []));
  return hosts.length > 0 || tokens.every((token) => /^[\d.]*$|:/.test(token)) ? hosts.map(detach) : null;
}

function parseDelegationSigners(dnssec: readonly string[], values: readonly string[]): readonly DsRecord[] | null {
  const isUnsigned = dnssec.length > 0 && dnssec.every((value) => UNSIGNED.test(value));
  if (values.length === 0) return isUnsigned ? [] : null;
  if (isUnsigned || values.length >= MAX_LINES_BELOW) return null;
  const records = values.map(parseDsRecord);
  return records.every((record) => record !== null) ? records : null;
}

/** Only so many lines below a label are read, and the end of a long line is cut off. */
function isCut(fields: readonly WhoisField[]): boolean {
  const values = new Set(fields.map(({ value }) => value));
  return values.size >= MAX_LINES_BELOW || fields.some(({ value }) => value.length > MAX_VALUE_LENGTH);
}

const MAX_VALUE_LENGTH = 500;

/** A copy: as part of the answer's text it would keep all of it in memory. */
function detach(text: string): string {
  return Buffer.from(text).toString();
}
