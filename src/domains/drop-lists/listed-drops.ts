import { Injectable } from '@nestjs/common';
import type { DropListing } from '../domain/deletion/drop-listing.js';

/**
 * The watched names of the official drop lists, in the memory of this process: a routine check asks for each name. About
 * 100 bytes a name, and a few per cent of the names of four TLDs at most.
 */
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
