import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { MetricsConfig } from '../../config/sections.js';

/**
 * Recognizes the addresses that this process listens on: a webhook there would send an account's content to this API.
 */
@Injectable()
export class SelfAddressGuard {
  constructor(
    private readonly http: HttpAdapterHost,
    private readonly config: MetricsConfig,
  ) {}

  isOwn(address: string, port: number): boolean {
    const server = this.http.httpAdapter?.getHttpServer() as Server | undefined;
    const bound = server?.address();
    if (!bound || typeof bound === 'string') return false;
    // metrics are served at the same address
    if (port !== bound.port && port !== this.config.metricsPort) return false;
    return ownAddresses(bound.address).check(address, addressFamily(address));
  }
}

/** The addresses that `bound` covers; BlockList handles IPv4-mapped ones. */
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
