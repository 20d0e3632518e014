/* This file recognizes WHOIS sentences in languages other than English. Callers pass the words in lower case. */

export function isReservedI18n(words: string): boolean {
  return RESERVED_I18N.test(withoutRightsReserved(words));
}

export function isTroubleI18n(words: string): boolean {
  return LIMIT_I18N.test(words) || ERROR_I18N.test(words);
}

export function isTakenI18n(words: string): boolean {
  return TAKEN_I18N.test(words) && !NEGATION_I18N.test(words);
}

const RIGHTS_RESERVED_I18N =
  /(?:derechos|direitos|droits|diritti|rechte)(?: \p{L}+)? (?:reservados|r[eé]serv[eé]s|riservati|vorbehalten|reserviert)|reservados todos los derechos|(?:版权|版權|著作権).{0,12}(?:所有|保留)|保留(?:所有|一切|全部)?.{0,4}(?:权利|權利)/gu;

/** Removes "all rights reserved", which says nothing about a name. */
function withoutRightsReserved(words: string): string {
  return words.replace(RIGHTS_RESERVED_I18N, ' ');
}

/** Words for "registered" at the end of a sentence. These words do not count in a sentence with a negation. */
const TAKEN_I18N =
  /(?:registrad[oa]|registriert|vergeben|enregistrée?|registrat[oa]|geregistreerd|registrerad|зарегистрирован[оа]?|занят[оа]?)$/u;
const NEGATION_I18N =
  /(?<!\p{L})(?:no|n[aã]o|nicht|kein\p{L}*|pas|non|niet|geen|inte|ikke|не|nessun\p{L}*|aucun\p{L}*|sin)(?!\p{L})/u;

const alternatives = (list: string) => new RegExp(list.trim().replace(/\s*\|\s*/g, '|'), 'u');

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

/** Phrases that mean "not found" in languages other than English. Each pattern matches a whole sentence. */
const NOT_FOUND_I18N: readonly RegExp[] = [
  /^(?:(?:el|dominio|nombre|objeto|@) )*no (?:se )?(?:encontr[oó]|encuentra|encontrado|existe|registrado|est[aá] registrado|hay (?:resultados|registros|(?:datos|informaci[oó]n)(?= .*(?:dominio|nombre|@))))(?: .{0,40})?$/u,
  /^(?:(?:o|dom[ií]nio|objeto|@) )*n[aã]o (?:foi )?(?:encontrado|encontrada|existe|registrado|registado)(?: .{0,40})?$/u,
  /^(.{0,40}?)\b(?:inconnue?|introuvable|non trouv[eé]e?|n existe pas|pas (?:trouv[eé]|enregistr[eé])|aucun (?:enregistrement|objet|r[eé]sultat|domaine)(?: .{0,20})?)$/u,
  /^(.{0,40}?)(?:nicht (?:gefunden|registriert|vergeben|vorhanden)|existiert nicht|ist frei|niet (?:gevonden|geregistreerd)|is vrij)$/u,
  /^(.{0,40}?)(?:non (?:trovato|registrato|esiste|esistente)|ikke (?:fundet|registreret|funnet|registrert)|hittades inte|är ledigt|inte registrerad|ei l[oö]ydy|ei leitud|fannst ekki|er laust)$/u,
  /^(.{0,40}?)(?:nenalezen[oaý]?|nie znaleziono|nie istnieje|nu exist[aă]|bulunamad[ıi]|nije (?:registrov?an|prona[dđ]en)\w?|ne postoji|nav re[gģ]istr[eē]ts|nerastas|neregistruotas|nem tal[aá]lhat[oó]|nincs tal[aá]lat)(?: .{0,30})?$/u,
  /^(.{0,60}?)(?:не (?:найден|зарегистрирован|существует|знайдено|зареєстрован|е регистриран|постоји|пронађен)\p{L}{0,2}|(?<!не )свободен|(?<!не )вільний)$/u,
  /^(.{0,60}?)(?:등록되어 있지 않습니다|未(?:被)?[注註](?:册|冊)|没有找到|沒有找到|找不到.{0,20}|登録されていません|該当データはありません|لم يتم العثور.{0,30}|غير مسجل)$/u,
  /^(?:(?:el|o|le) )?(?:(?:dominio|dom[ií]nio|domaine|@) )+(?:est[aá]|est) (?:dispon[ií]vel|disponible|libre|livre)(?: (?:para|pour) .{0,30})?$/u,
  /^(?:(?:domena|domeniul|alan|adı|domain|domænet|domænenavnet|dom[eé]na|@) )+(?:jest dost[eę]pna|jest wolna|je slobodna|je vo[lľ]n[aá]|este disponibil|er ledigt|m[uü]sait)$/u,
  /^(?:nessun (?:risultato|dominio)(?: trovato)?|(?:data |domain |@ )*tidak (?:ditemukan|terdaftar)|không tìm thấy.{0,20}|.{0,20}chưa được đăng ký|没有查询到.{0,10}|.{0,10}(?:未查询到|尚未注册).{0,10})$/u,
];
/** A sentence with one of these words is about a server, a query or a limit, not about a name. */
const DISQUALIFYING_I18N =
  /conexi|conex[aã]o|connexion|verbindung|соединени|\berror\b|\berro\b|erreur|fehler|ошибк|l[ií]mite|reserv|bloque|gesperrt|servicio|serviço|dienst|servi[dt]or|serveur|ser[vw]er|\btld\b|\bzon[ae]\b|сервер|зона|服务器|伺服器|サーバ|서버|(?:banca|banque|existe la base|datenbank|baza danych)|consulta |commande|befehl|comando|requ[eê]te|anfrage|запрос/u;

/**
 * Words for a domain name or an entry. Without such a word, the subject of a sentence is another thing, such as "base
 * de données" (database).
 */
const NAME_OR_ENTRY_I18N =
  /@|dom[aeéěií]|alan ad|nom(?:e|bre)?\b|na[mz]|objet|objekt|oggetto|obiekt|объект|запис|домен|域名|도메인|ドメイン|نطاق|eintr[aä]g|entr[eé]e|tên miền/u;

/** @param words in lower case, without quotes and punctuation */
export function saysNotFoundI18n(words: string): boolean {
  return !DISQUALIFYING_I18N.test(words) && NOT_FOUND_I18N.some((pattern) => concernsName(pattern.exec(words)));
}

/** Whether the sentence has no subject (the pattern's first group), or its subject is a domain name or an entry. */
function concernsName(match: RegExpExecArray | null): boolean {
  const subject = match?.[1]?.trim() ?? '';
  return match !== null && (subject === '' || NAME_OR_ENTRY_I18N.test(subject));
}
