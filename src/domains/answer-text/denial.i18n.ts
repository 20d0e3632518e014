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
 * Words for a domain name or a register's entry. A subject without these words, such as "base de données" (database),
 * is no name.
 */
const NAME_OR_ENTRY_I18N =
  /@|dom[aeéěií]|alan ad|nom(?:e|bre)?\b|na[mz]|objet|objekt|oggetto|obiekt|объект|запис|домен|域名|도메인|ドメイン|نطاق|eintr[aä]g|entr[eé]e|tên miền/u;

/** @param words in lower case, without quotes and punctuation */
export function saysNotFoundI18n(words: string): boolean {
  return !DISQUALIFYING_I18N.test(words) && NOT_FOUND_I18N.some((pattern) => concernsName(pattern.exec(words)));
}

/** Whether the subject of the sentence (the pattern's first group) is missing, a domain name or an entry. */
function concernsName(match: RegExpExecArray | null): boolean {
  const subject = match?.[1]?.trim() ?? '';
  return match !== null && (subject === '' || NAME_OR_ENTRY_I18N.test(subject));
}
