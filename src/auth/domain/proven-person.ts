import { HIDDEN_CHARACTERS } from '../../kernel/printable-line.js';
import { MAIL_ADDRESS_PATTERN } from '../../kernel/mail-address.js';

/** A person who has signed in. An OpenID Connect provider vouches for these facts. */
export interface ProvenPerson {
  readonly issuer: string;
  /** Identifies one person at this issuer forever. An email address may later belong to another person. */
  readonly subject: string;
  readonly name: string | null;
  /** null unless the provider has verified that the address belongs to the person. */
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** The fields (claims) of a provider's token or `userinfo` response. Their values are not checked yet. */
export type Claims = Readonly<Record<string, unknown>>;

/** A field (claim) of the provider's token has an impossible value. */
export class UnusableClaims extends Error {}

/** A valid subject: at most 255 ASCII characters (OpenID Connect Core 1.0, section 2). */
const SUBJECT = /^[ -~]{1,255}$/;
const MAX_NAME_LENGTH = 200;
const EMAIL = new RegExp(MAIL_ADDRESS_PATTERN, 'u');
const MAX_GROUPS = 1_000;
const MAX_GROUP_LENGTH = 256;
const HIDDEN = new RegExp(`[${HIDDEN_CHARACTERS}]`, 'u');

/**
 * Reads a person from the token and `userinfo`. Leaves out a malformed name, address or group.
 * @throws UnusableClaims, for example without a valid subject
 */
export function toProvenPerson(
  issuer: string,
  token: Claims,
  userInfo: Claims,
  groupsClaim: string | null,
): ProvenPerson {
  const { sub } = token;
  if (typeof sub !== 'string' || !SUBJECT.test(sub))
    throw new UnusableClaims('the subject is not 1 to 255 ASCII characters');
  const all = { ...userInfo, ...token };
  return {
    issuer,
    subject: sub,
    name: toName(all['name']) ?? toName(all['preferred_username']),
    // The token and `userinfo` may contain different addresses. So the address and its verification come from the same
    // source.
    email: toVerifiedEmail(token['email'] === undefined ? userInfo : token),
    groups: groupsClaim === null ? [] : toGroups(all, groupsClaim),
  };
}

function toName(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.length > MAX_NAME_LENGTH || HIDDEN.test(claim)) return null;
  return claim.trim() || null;
}

function toVerifiedEmail({ email, email_verified: isVerified }: Claims): string | null {
  if (isVerified !== true || typeof email !== 'string') return null;
  return EMAIL.test(email) ? email : null;
}

/** Refuses a token whose provider left groups out, so that no person loses the accounts of the missing groups. */
function toGroups(claims: Claims, name: string): readonly string[] {
  const elsewhere = claims['_claim_names'];
  const claim = claims[name];
  // Beyond 200 groups, Entra leaves out the claim, and names it in `_claim_names` (OpenID Connect Core 1.0, section
  // 5.6.2).
  if (claim === undefined && typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name))
    throw new UnusableClaims(`the provider left out the claim ${name}, since the person is in too many groups`);
  const groups = [...new Set(typeof claim === 'string' ? [claim] : Array.isArray(claim) ? (claim as unknown[]) : [])];
  if (groups.length > MAX_GROUPS) throw new UnusableClaims(`the claim ${name} has more than ${MAX_GROUPS} groups`);
  return groups.filter((group): group is string => typeof group === 'string' && isGroupName(group));
}

function isGroupName(group: string): boolean {
  return group !== '' && group.length <= MAX_GROUP_LENGTH && !HIDDEN.test(group);
}
