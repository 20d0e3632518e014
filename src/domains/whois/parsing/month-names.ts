/** Prefixes of month names, without those that mean different months in two languages (`listopad`, `srpna`). */
const MONTHS = [
  ['jan', 'ene', 'janv', 'gen', 'led', 'янв', 'oca'],
  ['feb', 'fev', 'fév', 'févr', 'úno', 'фев', 'şub'],
  ['mar', 'mrz', 'mär', 'mars', 'maer', 'maa', 'мар'],
  ['apr', 'abr', 'avr', 'avril', 'апр', 'nis'],
  ['may', 'mai', 'mag', 'maj', 'mei', 'kvě', 'май', 'мая'],
  ['jun', 'juin', 'giu', 'juni', 'июн', 'haz'],
  ['jul', 'juil', 'lug', 'juli', 'июл', 'tem'],
  ['aug', 'ago', 'aoû', 'aout', 'août', 'авг', 'ağu'],
  ['sep', 'set', 'sept', 'sett', 'сен', 'eyl'],
  ['oct', 'okt', 'out', 'ott', 'окт', 'eki'],
  ['nov', 'ноя', 'kas'],
  ['dec', 'dez', 'dic', 'déc', 'des', 'дек', 'ara'],
];
const MONTH_BY_NAME = new Map(MONTHS.flatMap((names, at) => names.map((name) => [name, at + 1] as const)));

/** 1 to 12; undefined when it is no month. */
export function monthNumber(name: string): number | undefined {
  const lower = name.toLocaleLowerCase('en').replace(/\.$/, '');
  return MONTH_BY_NAME.get(lower.slice(0, 4)) ?? MONTH_BY_NAME.get(lower.slice(0, 3));
}
