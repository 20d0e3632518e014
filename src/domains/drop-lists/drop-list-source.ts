import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { DropListId, DropListing } from '../domain/deletion/expiry-forecast.js';
import type { DropListName } from '../../config/setting-forms.js';
import { LookupConfig } from '../../config/sections.js';
import { Clock, MINUTE } from '../../kernel/clock.js';
import { type HttpReply, RegistryHttpClient } from '../transport/registry-http-client.js';
import {
  DELETED_CYCLE_MS,
  EXPIRED_CYCLE_MS,
  readAudaDropList,
  checkRows,
  DropListInvalid,
  type DropListRow,
  readInternetstiftelsenDropList,
  readNominetDropList,
} from './drop-list-formats.js';

/** Validators from a server's response, to ask later whether there is a newer document (RFC 9110 §13.1). */
export interface HttpValidators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A list that was read completely and without a mistake. */
export interface FetchedDropList {
  readonly kind: 'fetched';
  readonly validators: HttpValidators;
  readonly size: number;
  /** Yields the rows whose date is in the future, in the order of the list. Can be called again. */
  readonly listings: () => AsyncIterable<DropListing>;
}

export type DropListResult =
  | FetchedDropList
  | { readonly kind: 'unchanged' }
  /** The list could not be fetched, is incomplete, or is invalid. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** The largest size of a downloaded list. Nominet's gzipped list has 4 MB. */
const MAX_DOCUMENT_BYTES = 32 * 1_024 * 1_024;
const MAX_CHECKSUM_BYTES = 4_096;
/** The time limit of the whole download, however slowly the document arrives. */
const FETCH_TIMEOUT_MS = 2 * MINUTE;

interface DropListDocument {
  readonly setting: DropListName;
  /** The file name to append to the URL in DROP_LISTS. If missing, the document is at that URL itself. */
  readonly file?: string;
  /** Appended to the document's URL, this ending gives the URL of the document's SHA-256 checksum. */
  readonly checksumEnding?: string;
  readonly read: (body: Buffer) => AsyncIterable<DropListRow>;
}

const DOCUMENTS: Readonly<Record<DropListId, DropListDocument>> = {
  uk: { setting: 'uk', checksumEnding: '.sha256', read: readNominetDropList },
  se: { setting: 'se', read: readInternetstiftelsenDropList },
  nu: { setting: 'nu', read: readInternetstiftelsenDropList },
  au_expired: { setting: 'au', file: 'expired', read: (body) => readAudaDropList(body, EXPIRED_CYCLE_MS) },
  au_deleted: { setting: 'au', file: 'deleted', read: (body) => readAudaDropList(body, DELETED_CYCLE_MS) },
};

/** Downloads a list only if it has changed, up to a limited size. The HTTP client refuses private addresses. */
@Injectable()
export class DropListSource {
  readonly lists: readonly DropListId[];

  constructor(
    private readonly config: LookupConfig,
    private readonly http: RegistryHttpClient,
    private readonly clock: Clock,
  ) {
    const ids = Object.keys(DOCUMENTS) as DropListId[];
    this.lists = ids.filter((id) => config.dropLists.has(DOCUMENTS[id].setting));
  }

  /** @param known the validators of the copy that was applied last */
  async fetch(list: DropListId, known: HttpValidators): Promise<DropListResult> {
    try {
      return await this.read(list, known);
    } catch (error) {
      if (error instanceof DropListInvalid) return { kind: 'unusable', problem: error.message };
      throw error;
    }
  }

  private async read(list: DropListId, known: HttpValidators): Promise<DropListResult> {
    const { checksumEnding, read } = DOCUMENTS[list];
    const url = this.urlOf(list);
    const {
      status,
      body,
      etag = null,
      lastModified = null,
    } = await this.get(url, MAX_DOCUMENT_BYTES, conditionsOf(known));
    if (status === 304) return { kind: 'unchanged' };
    if (status !== 200) throw new DropListInvalid(`${url.href} answered ${status}`);
    if (checksumEnding !== undefined) await this.verify(body, new URL(url.href + checksumEnding));
    const listings = () => checkRows(read(body), list, this.clock.now());
    const size = await count(listings());
    return { kind: 'fetched', validators: { etag, lastModified }, size, listings };
  }

  private urlOf(list: DropListId): URL {
    const { setting, file } = DOCUMENTS[list];
    const base = this.config.dropLists.get(setting);
    if (!base) throw new Error(`the drop list ${list} is not in the settings`);
    return file === undefined ? base : new URL(file, base.href.replace(/\/?$/, '/'));
  }

  private async verify(body: Buffer, url: URL): Promise<void> {
    const reply = await this.get(url, MAX_CHECKSUM_BYTES, {});
    const [expected] = /\b[0-9a-f]{64}\b/i.exec(reply.body.toString('latin1')) ?? [];
    if (reply.status !== 200 || expected === undefined)
      throw new DropListInvalid(`${url.href} has no SHA-256 checksum`);
    const actual = createHash('sha256').update(body).digest('hex');
    if (actual !== expected.toLowerCase()) throw new DropListInvalid(`its checksum is ${actual}, not ${expected}`);
  }

  private async get(url: URL, maxBytes: number, conditions: Readonly<Record<string, string>>): Promise<HttpReply> {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const reply = await this.http.get(url, { accept: '*/*', maxBytes, signal, acceptsGzip: true }, conditions);
    if (reply.kind === 'no_response') throw new DropListInvalid(`${url.href}: ${reply.detail}`);
    return reply;
  }
}

function conditionsOf({ etag, lastModified }: HttpValidators): Readonly<Record<string, string>> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  };
}

async function count(listings: AsyncIterable<unknown>): Promise<number> {
  let size = 0;
  for await (const _ of listings) size += 1;
  return size;
}

/** Keeps the drop lists' rows of watched names in memory, because every routine check reads them. */
@Injectable()
export class ListedDrops {
  private byDomain: ReadonlyMap<string, DropListing> = new Map();

  replaceAll(listings: readonly DropListing[]): void {
    this.byDomain = new Map(listings.map((listing) => [listing.domain, listing]));
  }

  find(domain: string): DropListing | null {
    return this.byDomain.get(domain) ?? null;
  }
}
