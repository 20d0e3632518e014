import type { WhoisField } from './whois-fields.js';

/** What a field says about a registration; null when no status depends on it. */
export type FieldKind =
  'domain' | 'status' | 'expiry' | 'renewal' | 'registrar expiry' | 'creation' | 'holder' | 'server' | null;

const labelSet = (words: string) => new Set(words.split(/\s*[|\n]\s*/));

const DOMAIN_LABELS = labelSet(
  `domain|domain name|domainname|complete domain name|ascii domain name|full domain name|domain name ace|domain name utf8
   |domain name idn|domain name ascii|nombre de dominio|nombre del dominio|dominio|nome de domínio|nome do domínio
   |nom de domaine|domaine|domena|doména|doména|alan adi|alan adı|ドメイン名|도메인이름|域名|query|object`,
);
const STATUS_LABELS = labelSet(
  `status|state|stat|domain status|registration status|registry status|query status|domain state|domain stat|eppstatus
   |epp status|holdstatus|current status|status flag|status flags|lifecycle|estatus|estado|estatus del dominio
   |estado del dominio|statut|stav|stan|staða|durum|durumu|状態|상태|域名状态`,
);
/** In an address, `state` is a place. */
const DOMAIN_STATE =
  /\b(?:registered|active|delegated|reserved|connected|deactivated|free|available|system|blocked|hold|suspended|deleted|expired|published|ok)\b/;

/** Labels of expiry dates. */
const EXPIRY_LABEL =
  /(?:^|\s)(?:expir\w*|exp(?= date)|paid[ -]?till|paid until|paid thru|valid(?:ity)?(?: date| until| to| till| thru)?|registered until|(?:date)?bill(?:ed)? ?until|vencimiento|caduc\w*|vencimento|scadenza|ablauf\w*|g[uü]ltig bis|d ?'? ?expiration|échéance|有効期限|有効限|到期时间|到期日期|过期时间|만료일|срок)(?:\s|$)/u;
/** The next renewal at most registries; beside an expiry it is the last one (.th). */
const RENEWAL_LABEL = /(?:^|\s)(?:renew(?:al)?(?: by| on)?|renewal date)(?:\s|$)/;
const REGISTRAR_EXPIRY = /^registrar (?:registration )?expir/;
const CREATION_LABEL =
  /(?:^|\s)(?:creat(?:ed|ion)|registered|registration date|registration time|registr?ation|activated|activation|acivated|commencement|delegated|assigned|registro|registo|creaci[oó]n|cria[cç][aã]o|alta|activacion|cr[eé]ation|登録年月日|注册时间|注册日期|등록일)(?:\s|$)/u;
/** Dates of contacts or of other events. */
const OTHER_DATE =
  /\b(?:registrar|registrant|owner|admin\w*|tech\w*|billing|contact|holder|trademark|redemption|last|updated?|changed|modified|renewed|transfer\w*|lock\w*|option|key|signature|cert\w*|status|id|no|number|by|type|service)\b/;

const HOLDER_LABEL =
  /^(?:registrar|sponsoring registrar|current registar|registrant|holder|owner|admin|tech|billing|administrative|technical|titular|titulaire|bureau|domain owner|domain holder|domain managers?)(?: \S+){0,3}$/;
const HOLDER_LABELS = labelSet(
  `org|organization|organisation|organization name|organisation name|registered by|registered name|mnt by|mntnr|person|zone c
   |administrador|登録者名|登録者|organization using domain name|department name|service provider|provider|registry domain id
   |domain id|roid|client name|userid|contact|contact name|contacto administrativo|contacto tecnico|contacto técnico
   |注册者|等录人`,
);
const SERVER_LABEL =
  /^(?:(?:domain )?name ?servers?|nserver|nservers|ns|ns ?\d{1,2}|dns|dns ?servers?|dns name|host ?name|host|hostname|domain servers|domain nameservers|primary (?:server|ns)|secondary (?:server|ns)|servidor(?:es)?|serveurs?|ネームサーバ|ns list)(?: .{0,30})?$/;

/** Classifies by label; callers check the value. */
export function classifyField({ label, value }: WhoisField): FieldKind {
  if (DOMAIN_LABELS.has(label)) return 'domain';
  if (STATUS_LABELS.has(label))
    return /^state$|^stan$/.test(label) && !DOMAIN_STATE.test(value.toLowerCase()) ? null : 'status';
  if (REGISTRAR_EXPIRY.test(label)) return 'registrar expiry';
  if (EXPIRY_LABEL.test(label) && !OTHER_DATE.test(label)) return 'expiry';
  if (RENEWAL_LABEL.test(label) && !OTHER_DATE.test(label)) return 'renewal';
  if (HOLDER_LABEL.test(label) || HOLDER_LABELS.has(label)) return 'holder';
  if (SERVER_LABEL.test(label)) return 'server';
  return CREATION_LABEL.test(label) && !OTHER_DATE.test(label) ? 'creation' : null;
}
