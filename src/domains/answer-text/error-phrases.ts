/** Phrases that mean the same in RDAP and WHOIS answers; in lower case. */

/** The name cannot be registered. */
export const NOT_REGISTRABLE =
  /\bnot (open|eligible) for registration\b|\b(not |un)available (for|to) (registration|register|purchase)\b|\bregistration\b.{0,40}\bnot (allowed|permitted|possible)\b/;

/** The server does not answer this client or this query. */
export const ACCESS_DENIED =
  /\b(access|permission|request|query|service|connection)( is| was| has been)? (denied|refused|restricted|blocked|rejected)\b/;

/** Something may happen, as against something that did. */
export const HYPOTHETICAL = /\b(?:if|when|whenever|once|should|may|might|could|must|unless|ll|do not)\b/;

/**
 * Whether a sentence reports a server error, in any known language, or a reserved name in another language than
 * English.
 * @param words in lower case
 */
export function reportsError(words: string): boolean {
  if (isHypothetical(words)) return false;
  return (
    ERROR_WORDS.test(words) ||
    DOUBT_I18N.test(withoutRightsReserved(words)) ||
    (words.length <= MAX_REPORT_LENGTH && WEAK_ERROR_WORDS.test(words))
  );
}

/** Whether a sentence says that a name is not simply available. */
export function impliesTaken(words: string): boolean {
  return (
    (NOT_SIMPLY_FREE.test(words) || (TAKEN_I18N.test(words) && !NEGATION_I18N.test(words))) && !isHypothetical(words)
  );
}

/** "Registered" as the last word, in other languages than English; any negation in the sentence reverses it. */
const TAKEN_I18N =
  /(?:registrad[oa]|registriert|vergeben|enregistrée?|registrat[oa]|geregistreerd|registrerad|зарегистрирован[оа]?|занят[оа]?)$/u;
const NEGATION_I18N =
  /(?<!\p{L})(?:no|n[aã]o|nicht|kein\p{L}*|pas|non|niet|geen|inte|ikke|не|nessun\p{L}*|aucun\p{L}*|sin)(?!\p{L})/u;

/** Whether a sentence in another language than English says that a name is reserved. */
export function isReservedPhrase(words: string): boolean {
  return RESERVED_I18N.test(withoutRightsReserved(words)) && !isHypothetical(words);
}

const RIGHTS_RESERVED_I18N =
  /(?:derechos|direitos|droits|diritti|rechte)(?: \p{L}+)? (?:reservados|r[eé]serv[eé]s|riservati|vorbehalten|reserviert)|reservados todos los derechos|(?:版权|版權|著作権).{0,12}(?:所有|保留)|保留(?:所有|一切|全部)?.{0,4}(?:权利|權利)/gu;

/** "All rights reserved" says nothing about a name. */
function withoutRightsReserved(words: string): string {
  return words.replace(RIGHTS_RESERVED_I18N, ' ');
}

function isHypothetical(words: string): boolean {
  return HYPOTHETICAL.test(words.replace(/\bcould not\b/g, 'failed'));
}

/** The name is registered, was registered, is for sale, or is available to some only. */
const NOT_SIMPLY_FREE =
  /\b(?:(?:not|no longer) (?:available|free)|available: no|registered: yes|(?:already|domain) registered$|registered elsewhere|registered with us|(?:this|our) registrar|expired|redemption|pending ?delete|backorder|auction|for sale|landrush|sunrise|available only|be available soon|not in use but|because of|login|log in|could not retrieve|no answer|lookup error|invalid pattern|qualified registrants|dpml)\b/;

const ERROR_WORDS =
  /\b(?:lookups|your (?:ip|address|network)|blocked|denied|exceeded|quota|busy|unavailable|failed|banned|wait|refused|rejected|connection|offline|down|unreachable|outage|crashed|maintenance|time-?out|temporar\w*|throttled|reached|overload\w*|try (?:again|later)|secondary|standby|replicas?|replication|lag(?:s|ging)?|rebuil\w+|be back|malfunction\w*|degraded|(?:gateway|proxy|database|db|server|application|unexpected|system|network|dns|tls|ssl|runtime|fatal|parse|processing|backend|service|configuration|lookup|internal) (?:error|exception|failure|problem|fault))\b/;

/** A longer sentence may state general terms, in which these words mean nothing. */
const MAX_REPORT_LENGTH = 100;
const WEAK_ERROR_WORDS =
  /\b(?:restor(?:ed|ing)|migrat\w+|(?:re)?synchroni[sz]\w+|resync\w*|reindex\w*|restart\w*|reboot\w*|recover\w*|outdated|stale|incident|disruption|emergency|read[- ]only|cached?|mirror|snapshot|broken|fail(?:s|ing|over)|back (?:at|in|on|soon|shortly)|not (?:responding|reachable|working|operational|ready|loaded|complete)|corrupt\w*|partial(?:ly)?|backend|upstream|primary|trouble|out of (?:order|service|date)|under (?:heavy|construction|attack|load)|starting up|shutting down|being (?:updated|loaded|moved|repaired|imported|upgraded)|upgrad(?:e|ing)|in progress|(?:experiencing|technical|some) (?:problems?|difficult(?:y|ies))|unable to|interrupted|switched off|could not be (?:loaded|read|retrieved|processed|completed)|come back|please (?:ask|query)|only (?:answers|serves|responds|handles|supports)|(?:an)?other (?:registry|operator)|not (?:understood|allowed|a valid)|empty query|set aside|block ?list|(?:registration|name|domain)(?: is| has been)? suspended|(?:subject to|under|in) (?:a )?dispute|used up)\b/;

const alternatives = (list: string) => new RegExp(list.trim().replace(/\s*\|\s*/g, '|'), 'u');

/** Reserved names, rate limits and errors in languages other than English. */
const RESERVED_I18N = alternatives(
  `reservad[oa] | r[eé]serv(?:é|ée|ee)(?!\\p{L}) | reserviert | gereserveerd | riservat[oa] | reserverad | reservert | reserveret
   | zarezerwowan | rezerv[eo]van | rezervat | rezerve | varattu | fenntart | зарезервир | резервиран | 保留 | 预留 | 預留 | 予約 | 예약 | محجوز
   | bloquead[oa] | bloqu[eé]e?(?!\\p{L}) | bloccat[oa] | gesperrt | geblokkeerd | zablokowan | sp[aä]rrad | sperret | blockiert | blokkert | engellen | заблокир
   | 禁止 | 屏蔽 | 封锁 | 차단 | prohibid[oa] | proibid[oa] | interdite?(?!\\p{L}) | verboten | vietat[oa] | запрещ[её]н | nicht zugelassen`,
);
const LIMIT_I18N = alternatives(
  `demasiad[oa]s | trop de | zu viele | troppe | za du[zż]o | te veel | слишком много | l[ií]mite(?!\\p{L}) | превышен | (?:über|ueber)schritten
   | super(?:ad|at)[oa] | exced(?:i[oó]|ido|eu) | agotado | esgotad | (?:aufge|ver)braucht | [eé]puis[eé] | te vaak | превыш | исчерпан | d[eé]pass[eé]e? | overschreden | 超过 | 超過 | 限制 | 초과`,
);
const ERROR_I18N = alternatives(
  `fuera de servicio | fora do ar | fora de servi[cç]o | hors service | fuori servizio | außer betrieb | buiten (?:gebruik|werking) | nieczynn | niedost[eę]pn
   | indispon[ií]ve[il] | indisponible | nicht verf[uü]gbar | no disponible | non disponibile | nicht erreichbar | niet (?:beschikbaar|bereikbaar) | недоступ | 不可用 | 利用できません | 사용할 수 없
   | mantenimiento | manuten[cç][aã]o | manutenzione | wartung | onderhoud | konserwacj | обслуживани | 维护 | 維護 | メンテナンス | 점검
   | temporalmente | temporariamente | temporairement | vor[uü]bergehend | tijdelijk | temporaneamente | tymczasowo | временно | 暂时 | 暫時 | 一時的
   | int[eé]ntelo | tente novamente | r[eé]essayer | r[eé]essayez | versuchen sie | probeer het | riprova | spr[oó]buj | попробуйте | повторите | 稍后 | 稍後
   | ocupad[oa] | occup[eé]e?(?!\\p{L}) | ausgelastet | überlastet | ueberlastet | surcharg[eé] | sobrecargad | sovraccaric | overbelast | przeci[aą][zż]on | перегружен | 繁忙
   | problemas | problemi | problèmes | probleme | problemen | проблем | difficult[eé]s | difficolt | st[oö]rung | storing | avería | panne
   | (?:solo|só|apenas|soltanto|seulement|nur|alleen|только) .*(?:@other|respond|risponde|serve|r[eé]pond|zuständig|antwortet|для) | обслуживает | ne (?:g[eè]re|r[eé]pond) que | nur für
   | risponde solo | responde (?:solo|só|apenas) | r[eé]pond uniquement | antwortet nur | kann nicht | kan niet | nelze | nie można | нельзя | no puede | no se puede | n[aã]o pode | ne peut | non può | 不能 | できません
   | no se entiende | err[oó]nea | errat[ao] | mal form | fehlerhaft | ошибк
   | fallo | falha | [eé]chec | fehlgeschlagen | mislukt | fallit[oa] | не удалось | 失败 | 失敗 | 실패
   | (?:no\\s|n[aã]o\\s|in)v[aá]lid[oa]s?(?!\\p{L}) | invalide | ung[uü]ltig | ongeldig | non valid[oa] | nieprawid[lł]ow | неверн | некорректн | 无效 | 無效 | 無効 | 잘못된`,
);
const DOUBT_I18N = new RegExp([RESERVED_I18N, LIMIT_I18N, ERROR_I18N].map(({ source }) => source).join('|'), 'u');
