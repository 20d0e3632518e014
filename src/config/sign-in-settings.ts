import { isSecureOrLocal } from '../kernel/localhost.js';
import { type AddProblem, anyText, type Form, listOf, mapped, matching, optional, setting } from './setting-forms.js';

/** An issuer URL as in OpenID Connect Discovery 1.0, section 3. Plain http is allowed on this machine only. */
const issuerUrl: Form<string> = {
  wanted: 'an https URL without user, query and fragment (http only on this machine)',
  parse: (text) => {
    const issuer = URL.parse(text);
    if (!issuer || !isSecureOrLocal(issuer) || issuer.username || issuer.password) return undefined;
    return /[?#]/.test(text) ? undefined : text;
  },
};

/** Matches `group=account:role`. The last `=` separates, because only the group's name may contain another `=`. */
const GROUP_ROLE = /^(.+)=(acc_[0-9a-z]{26}):(viewer|editor|admin)$/;
const groupRoleList = listOf('group=acc_…:role, the role viewer, editor or admin', (part) => GROUP_ROLE.test(part));

function toGroupRole(part: string) {
  const [, group = '', accountId = '', role = ''] = GROUP_ROLE.exec(part) ?? [];
  return { group, accountId, role: role as 'viewer' | 'editor' | 'admin' };
}

/** The first three settings have to be set together. Without them OpenID Connect is not loaded. */
export const SIGN_IN = {
  oidcIssuer: optional('OIDC_ISSUER', issuerUrl, {
    differs: 'whose provider',
    about:
      'People sign in at this OpenID Connect provider ([sign-in.md](sign-in.md)): its issuer, exactly as its ' +
      '`/.well-known/openid-configuration` has it. Needs `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` and `PUBLIC_URL`.',
  }),
  oidcClientId: optional('OIDC_CLIENT_ID', matching('an id without spaces', /^[!-~]{1,255}$/), {
    differs: 'the same',
    about: 'The id that the provider knows Namewatch by.',
  }),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', anyText, {
    differs: 'the same',
    about: 'The secret that belongs to the id.',
    isSecret: true,
  }),
  oidcGroupsClaim: optional('OIDC_GROUPS_CLAIM', matching('the name of a claim', /^[!-~]{1,100}$/), {
    differs: 'how the provider says it',
    about: 'The claim that lists the groups of a person, such as `groups`. Not set: groups mean nothing.',
  }),
  groupRoles: setting(
    'OIDC_GROUP_ROLES',
    mapped(groupRoleList, (parts) => parts.map(toGroupRole)),
    {
      default: [],
      differs: 'the groups there',
      about:
        'People in such a group are members of the account with this role ([sign-in.md](sign-in.md#members)). Needs ' +
        '`OIDC_GROUPS_CLAIM`.',
    },
  ),
};

const OIDC_REQUIRED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'];

/**
 * Checks the sign-in settings together. PUBLIC_URL needs https, because the provider sends its sign-in codes to this
 * URL.
 */
export function checkOpenIdConnect(
  { publicUrl }: { readonly publicUrl: string | null },
  isSet: (name: string) => boolean,
  addProblem: AddProblem,
): void {
  const missing = OIDC_REQUIRED.filter((name) => !isSet(name));
  const given = [...OIDC_REQUIRED, 'OIDC_GROUPS_CLAIM', 'OIDC_GROUP_ROLES'].find(isSet);
  if (given === undefined) return;
  for (const name of missing) addProblem(`${name} is required with ${given}`);
  if (isSet('OIDC_GROUP_ROLES') && !isSet('OIDC_GROUPS_CLAIM'))
    addProblem('OIDC_GROUP_ROLES needs OIDC_GROUPS_CLAIM: the claim that lists the groups');
  if (!isSet('PUBLIC_URL'))
    addProblem(`PUBLIC_URL is required with ${given}: the provider sends people back to it, so it has to know it`);
  else if (publicUrl !== null && !isSecureOrLocal(new URL(publicUrl)))
    addProblem(
      `PUBLIC_URL must be https with ${given}: whoever signs in would be read along (http only on this machine)`,
    );
}

type SignInValues = { readonly [Field in keyof typeof SIGN_IN]: (typeof SIGN_IN)[Field]['default'] };

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly groupsClaim: string | null;
}

export function toOpenIdSettings(settings: SignInValues): OpenIdSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  return { issuer, clientId, clientSecret, groupsClaim: settings.oidcGroupsClaim };
}
