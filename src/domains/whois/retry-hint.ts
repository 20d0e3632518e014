const SECONDS_BY_UNIT = { s: 1, sec: 1, second: 1, min: 60, minute: 60, hour: 3_600 };
const AMOUNT = /(\d+(?:\.\d+)?)[ -]?(seconds?|minutes?|hours?|sec|min|s)\b/gi;
/** A longer wait is ignored, so that a typing error cannot block a server for ever. */
const MAX_WAIT_SECONDS = 86_400;

/** Matches words before the window of a limit, as in `100 queries per 24 hours`. */
const BEFORE_WINDOW =
  /(?:\b(?:per|within|every|each|over|during|last|past|previous|any|maximum|of)|[/(])\s*(?:(?:the|a|an|one) )?$/i;
const ENDS_WITH_IN = /\bin (?:(?:the|about|another|approximately) )?$/i;
/** After these words, `in 60 minutes` is a wait. In `30 in 60 minutes`, the time is the window of a limit. */
const RETRY_WORDS =
  /\b(?:again|retry|back|wait|replenish\w*|reset\w*|lifted|restored|available|expires?|unblocked|released|resume\w*|renew\w*)\b[^.\d]{0,30}$/i;

/** Returns the wait in seconds that a sentence asks for (`will be replenished in 50 seconds`); null without one. */
export function parseRetryHint(sentence: string): number | null {
  for (const { 0: whole, 1: amount, 2: unit = '', index } of sentence.matchAll(AMOUNT)) {
    const seconds = Math.ceil(Number(amount) * unitSeconds(unit));
    if (isWait(sentence.slice(0, index), sentence.slice(index + whole.length)))
      return seconds > 0 && seconds <= MAX_WAIT_SECONDS ? seconds : null;
  }
  return null;
}

function isWait(before: string, after: string): boolean {
  if (BEFORE_WINDOW.test(before) || /^[ -](?:window|period|interval|limit|quota)\b/i.test(after)) return false;
  return !ENDS_WITH_IN.test(before) || RETRY_WORDS.test(before.replace(ENDS_WITH_IN, ''));
}

function unitSeconds(unit: string): number {
  return SECONDS_BY_UNIT[unit.toLowerCase().replace(/(?<=\w{2})s$/, '') as keyof typeof SECONDS_BY_UNIT];
}
