import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * IANA assigns public IPv6 addresses only in this range. Obsolete forms such as `::127.0.0.1` are outside this range.
 */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3];
/** A service address of Azure. The address is public, but inside Azure it leads to the machine's own host. */
const AZURE_PLATFORM = '168.63.129.16';

export interface GuardOptions {
  /**
   * NAT64 prefixes of the local network (RFC 6052). For an address with such a prefix, the guard checks the embedded
   * IPv4 address.
   */
  readonly nat64?: readonly string[];
  readonly ownAddresses?: () => readonly string[];
}

/** Permits public addresses that are not this machine's own, and addresses in the configured networks. */
export class AddressGuard {
  private readonly allowed: readonly Network[];
  private readonly nat64: readonly Network[];
  private readonly ownAddresses: () => readonly string[];

  /** @param networks CIDRs or single addresses to which connections are allowed, even if they are not public */
  constructor(networks: readonly string[] = [], options: GuardOptions = {}) {
    const { nat64 = [], ownAddresses = interfaceAddresses } = options;
    this.allowed = networks.map(parseNetwork);
    this.nat64 = nat64.map(parseNetwork);
    this.ownAddresses = ownAddresses;
  }

  /** True if the service may connect to this address. A subclass may also check the port. */
  permits(address: string, _port?: number): boolean {
    // Refuses an address with a zone such as `%eth0`, because a zone names a local network interface.
    if (isIP(address) === 0 || address.includes('%')) return false;
    const reached = this.behindNat64(parse(address));
    if (isWithin(unmapIpv4(reached), this.allowed)) return true;
    return isPublic(reached) && !this.isOwn(reached);
  }

  /** Returns the IPv4 address that a NAT64 gateway would connect to. Returns other addresses unchanged. */
  private behindNat64(address: Address): Address {
    if (!(address instanceof ipaddr.IPv6)) return address;
    const prefix = this.nat64.find(([base, bits]) => base.kind() === 'ipv6' && address.match(base, bits));
    return prefix ? embeddedIpv4(address, prefix[1]) : address;
  }

  private isOwn(address: Address): boolean {
    const text = address.toNormalizedString();
    return this.ownAddresses().some((own) => isIP(own) > 0 && parse(own).toNormalizedString() === text);
  }
}

function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => address.replace(/%.*/, '')),
  );
}

/** The ninth byte is not part of the embedded IPv4 address (RFC 6052 §2.2). */
function embeddedIpv4(address: ipaddr.IPv6, bits: number): ipaddr.IPv4 {
  const bytes = address.toByteArray().filter((_, at) => at >= bits / 8 && at !== 8);
  return new ipaddr.IPv4(bytes.slice(0, 4));
}

/**
 * Parses an address. The URL parser normalises IPv6 first, because ipaddr.js would read `::127.0.0.1` as
 * `::ffff:127.0.0.1`.
 */
function parse(address: string): Address {
  return ipaddr.parse(isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address);
}

function isPublic(address: Address): boolean {
  // `unicast` excludes IPv6 forms that contain an IPv4 address: mapped, 6to4, Teredo, NAT64 with the standard prefix.
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_PLATFORM;
  return address.match(GLOBAL_UNICAST) && !isIsatap(address);
}

/** Recognises ISATAP (RFC 5214 §6.1), where the tunnel's IPv4 address follows 0000:5efe or 0200:5efe. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200);
}

/** Converts an IPv4-mapped address into its IPv4 address, since both addresses lead to the same host. */
function unmapIpv4(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function parseNetwork(text: string): Network {
  const [base, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${isIPv6(text) ? 128 : 32}`);
  const plain = unmapIpv4(base);
  return plain === base ? [base, bits] : [plain, Math.max(0, bits - 96)];
}
