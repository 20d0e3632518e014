import { ASCII_CONFUSABLES, LATIN_CONFUSABLES, SCRIPT_CONFUSABLES, toConfusedAscii } from './confusables.js';

/**
 * Labels that are read as this one: Unicode in, Unicode out, perhaps invalid or repeated. Registries reject labels that
 * mix scripts, so letters of another script replace all letters or none.
 */
export function* homoglyphsOf(label: string): Generator<string> {
  yield* substitute(label);
  yield* accent(label);
  const ascii = toConfusedAscii(label);
  if (ascii === null) return;
  yield ascii;
  for (const script of SCRIPT_CONFUSABLES) yield* transcribe(ascii, script);
}

/** One pair of ASCII characters at one place. */
function* substitute(label: string): Generator<string> {
  for (let at = 0; at < label.length; at += 1)
    for (const [written, read] of ASCII_CONFUSABLES)
      if (label.startsWith(written, at)) yield label.slice(0, at) + read + label.slice(at + written.length);
}

/** One letter with an accent, or another Latin letter. */
function* accent(label: string): Generator<string> {
  const characters = [...label];
  for (const [at, character] of characters.entries())
    for (const letter of LATIN_CONFUSABLES.get(character) ?? []) yield characters.with(at, letter).join('');
}

/** All letters in the other script, where it has each of them; then with the second choice for one of them. */
function* transcribe(ascii: string, script: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const choices = [...ascii].map((character) => (/[a-z]/.test(character) ? script.get(character) : [character]) ?? []);
  if (choices.some(({ length }) => length === 0)) return;
  const first = choices.map(([letter = '']) => letter);
  yield first.join('');
  for (const [at, letters] of choices.entries())
    for (const letter of letters.slice(1)) yield first.with(at, letter).join('');
}
