import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** IANA has delegated global unicast out of this block only; outside it lie `::127.0.0.1` and other old forms. */
const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3];
/** Public by its number, yet served by the host itself inside Azure: the platform's own endpoint. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Judges where connections to strangers' servers may go: to globally routed unicast addresses, and to the networks
 * that the operator lets through. Everything else is refused: private, loopback, link-local (with the clouds'
 * metadata services), CGNAT, multicast, documentation, reserved, and the IPv6 forms that carry an IPv4 address
 * inside (mapped, NAT64, 6to4, Teredo, ISATAP), since what they reach cannot be seen from the number.
 */
export class AddressGuard {
  private readonly allowed: readonly Network[];

  /** @param networks CIDRs or single addresses that are let through although they are not public. */
  constructor(networks: readonly string[] = []) {
    this.allowed = networks.map(networkOf);
  }

  /** True when `address`, a literal as sockets take it, may be connected to. The port is for stricter guards. */
  permits(address: string, _port?: number): boolean {
    if (isIP(address) === 0 || address.includes('%')) return false; // a zone names an interface of ours
    const parsed = parse(address);
    return isPublic(parsed) || this.isAllowed(unmapped(parsed));
  }

  private isAllowed(address: Address): boolean {
    return this.allowed.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  }
}

/** By way of the URL parser, since ipaddr.js itself takes `::127.0.0.1` for `::ffff:127.0.0.1`. */
function parse(address: string): Address {
  return ipaddr.parse(isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address);
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_PLATFORM;
  return address.match(GLOBAL_UNICAST) && !isIsatap(address);
}

/** RFC 5214 §6.1: the interface identifier 0000:5efe or 0200:5efe is followed by the tunnel's IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200);
}

/** An IPv4 network lets through the mapped spelling of its addresses too: sockets take both to the same host. */
function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function networkOf(text: string): Network {
  const [base, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : wholeAddress(ipaddr.parse(text));
  const plain = unmapped(base);
  return plain === base ? [base, bits] : [plain, Math.max(0, bits - 96)];
}

function wholeAddress(address: Address): Network {
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
