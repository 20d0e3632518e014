/** Names of the service begin with these words, so names of extensions must not. Only a major version adds words. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  `already clock followed expectation expiring headers interval link registration account accounts address addresses admin agenda alert alerts api app archive archives audit auth authentication authorization
   backup backups billing bootstrap brake build bulk bullmq calendar canaries canary certificate change changes channel channels
   check checks client clients cluster config confirmation connection content contact count credential credentials cursor
   daily dashboard data database default deletion deliveries delivery dependency digest digests dns docs domain domains drain
   drop drops email entries entry error event events export extension extensions failing failure feed field file filter
   formats forbidden freshness group groups guard health held history host http icann idempotency idempotent identity import
   imports index insufficient internal invalid invitation invitations job jobs key keys kit label labels lease last leases
   limit limits list lists locale lock log login logs lookup lookups mail mailbox mailboxes mass master member members message
   messages method metric metrics migration migrations mikro missing moves name names namewatch nat64 network no not
   notification notifications oauth oidc oldest only openapi operator operators organization otel overloaded owner
   paging password payload people permission person pg phase plan plans policy pool port precondition problem
   problems process processes proxy public purge push query queue queues quota quotas rate rdap readiness record records redis refused
   registries registry release removed replay replays report reports request requests reserved resource retention
   role roles route sandbox saved schedule scheduler schema scope scopes search secret secrets sending server service session
   sessions setting settings sign smtp source sources stats status storage store stream subscriber
   subscribers summary suspended system table tag tags target task tasks template tenant time
   tld tlds token tokens too totp trace traces transaction trust trusted ui unknown unsupported upload usage user users value
   variant variants version view views watch watched watchlist watchlists web webauthn webhook webhooks whois window worker
   workers zone zones`.split(/\s+/),
);

const NAME = /^[a-z][a-z0-9-]{1,39}$/;

/** Returns why no extension can have this name; null if the name is allowed. */
export function findNameProblem(name: string): string | null {
  if (!NAME.test(name))
    return `the extension name ${JSON.stringify(name)} is not 2 to 40 lower-case letters, digits and "-"`;
  if (!beginsWithReservedWord(name)) return null;
  return `the extension name ${name} begins with a word of the service: choose another, such as your company's`;
}

/** Returns true for a reserved word, alone or before `-` or `_`. */
export function beginsWithReservedWord(name: string): boolean {
  return RESERVED_WORDS.has(/^[A-Za-z0-9]+/.exec(name)?.[0].toLowerCase() ?? '');
}
