import type { Server } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { MetricsConfig, WebhookConfig } from '../../config/sections.js';
import { AddressGuard } from '../../platform/outbound/address-guard.js';
import type { WebhookPolicy } from '../domain/target.js';

/** Returns all addresses of a server that listens on `bound`. BlockList also matches their IPv4-mapped forms. */
function ownAddresses(bound: string): BlockList {
  const own = new BlockList();
  own.addAddress(bound, addressFamily(bound));
  if (bound !== '0.0.0.0' && bound !== '::') return own;
  own.addSubnet('127.0.0.0', 8);
  for (const { address } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []))
    own.addAddress(address, addressFamily(address));
  return own;
}

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** Allows webhooks to port 443 and ports from 1024, at public or allowed addresses. Never allows this service. */
@Injectable()
export class WebhookGuard implements WebhookPolicy {
  private readonly addresses: AddressGuard;
  private readonly ownHost: string | null;

  constructor(
    { webhookAllowNetworks, publicUrl, nat64Prefixes: nat64 }: WebhookConfig,
    private readonly http: HttpAdapterHost,
    private readonly metrics: MetricsConfig,
  ) {
    this.addresses = new AddressGuard(webhookAllowNetworks, { nat64 });
    this.ownHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  }

  permitsPort(port: number): boolean {
    return port === 443 || port >= 1_024;
  }

  permitsAddress(address: string, port: number): boolean {
    if (this.isOwn(address, port)) return false; // even if WEBHOOK_ALLOW_NETWORKS has the address
    return this.permitsPort(port) && this.addresses.permits(address, port);
  }

  isOwn(host: string, port: number): boolean {
    if (this.ownHost !== null && this.ownHost.replace(/^\[|\]$|\.$/g, '') === host) return true;
    return isIP(host) > 0 && this.isListenedOn(host, port);
  }

  /** Whether this process listens at the address and port. Webhooks must not send content of accounts there. */
  private isListenedOn(address: string, port: number): boolean {
    const server = this.http.httpAdapter?.getHttpServer() as Server | undefined;
    const bound = server?.address();
    if (!bound || typeof bound === 'string') return false;
    // The metrics port listens at the same address.
    if (port !== bound.port && port !== this.metrics.metricsPort) return false;
    return ownAddresses(bound.address).check(address, addressFamily(address));
  }
}
