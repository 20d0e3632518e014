import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DomainName } from '../../domains/language.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import type { SecretAddress } from '../addresses/secret-addresses.repository.js';
import { toClientRow } from '../domain/client-page.js';
import { type ClientPageContent, toClientPage } from './client-page.html.js';
import { ClientPageNames } from './client-page-names.repository.js';

interface ClientPage {
  readonly content: ClientPageContent;
  readonly html: string;
}

const FRESH_MS = 30 * SECOND;
const MAX_CACHED_CHARACTERS = 20_000_000;
const DEFAULT_TITLE = 'Domain names';

/** Caches the pages for clients, so that many visitors do not cause many queries. */
@Injectable()
export class ClientPages {
  private readonly pages = new LRUCache<string, ClientPage, SecretAddress>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ html }) => html.length * 2,
    ttl: FRESH_MS,
    fetchMethod: (_id, _stale, { context }) => this.make(context),
  });

  constructor(
    private readonly names: ClientPageNames,
    private readonly clock: Clock,
  ) {}

  /** Returns null if no name has the tags of the page any more. */
  async read(address: SecretAddress): Promise<ClientPage | null> {
    const page = await this.pages.forceFetch(address.id, { context: address });
    if (page.content.total > 0) return page;
    // An empty page is not cached, so that it opens as soon as a name gets the page's tags.
    this.pages.delete(address.id);
    return null;
  }

  private async make({ accountId, tags, title }: SecretAddress): Promise<ClientPage> {
    const now = this.clock.now();
    const { names, total, months } = await this.names.find(accountId, tags, now);
    const rows = names.map((name) => ({
      ...toClientRow(name, now),
      unicode: DomainName.restore(name.domain).unicode,
    }));
    const content = { title: title ?? DEFAULT_TITLE, rows, total, months, now };
    return { content, html: toClientPage(content) };
  }
}
