import { Injectable } from '@nestjs/common';
import { WebhookConfig } from '../../config/sections.js';
import { AddressGuard } from '../../platform/outbound/address-guard.js';
import type { WebhookPolicy } from '../domain/target.js';
import { SelfAddressGuard } from './self-address-guard.js';

/** Allows webhooks to the configured ports of public or allowed addresses, except to this service. */
@Injectable()
export class WebhookGuard implements WebhookPolicy {
  private readonly addresses: AddressGuard;
  private readonly ports: readonly (readonly [number, number])[];
  private readonly ownHost: string | null;

  constructor(
    { webhookAllowNetworks, webhookDenyNetworks, webhookPorts, publicUrl, nat64Prefixes: nat64 }: WebhookConfig,
    private readonly selfAddresses: SelfAddressGuard,
  ) {
    this.addresses = new AddressGuard(webhookAllowNetworks, { denied: webhookDenyNetworks, nat64 });
    this.ports = webhookPorts.map(parsePortRange);
    this.ownHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  }

  permitsPort(port: number): boolean {
    return this.ports.some(([low, high]) => low <= port && port <= high);
  }

  permitsAddress(address: string, port: number): boolean {
    if (this.isOwnHost(address) || this.selfAddresses.isOwn(address, port)) return false; // even if the settings allow it
    return this.permitsPort(port) && this.addresses.permits(address, port);
  }

  isOwnHost(host: string): boolean {
    return this.ownHost !== null && this.ownHost.replace(/^\[|\]$|\.$/g, '') === host;
  }
}

/** `443`, or `1024-65535`. */
function parsePortRange(text: string): readonly [number, number] {
  const [low = 0, high = low] = text.split('-').map(Number);
  return [low, high];
}
